/** A model of the run registry: one list that is searched each time. Tests compare the registry with it. */

export interface Listed {
  readonly organization: string;
  readonly id: string;
  readonly number: number;
  live: boolean;
  calls: number;
  /** Its end is still to be written. */
  unwritten: boolean;
}

export class ListedRuns {
  readonly capacity: number;
  /** In the order of holding; ended ones in the order of their ends. */
  runs: Listed[] = [];
  awaited: string[] = [];
  /** Organizations in the order in which they came to hold or await a run. */
  #order: string[] = [];
  #number = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  find(organization: string, id: string): Listed | undefined {
    return this.runs.find((each) => each.organization === organization && each.id === id);
  }

  live(): Listed[] {
    return this.runs.filter((each) => each.live);
  }

  /** Live ones in the order in which a walk over all finds them. */
  walked(): Listed[] {
    return this.live().sort((one, other) =>
      this.#order.indexOf(one.organization) - this.#order.indexOf(other.organization) || one.number - other.number);
  }

  hasRoom(organization: string): boolean {
    const taken = [...this.live().map((each) => each.organization), ...this.awaited];
    const own = taken.filter((each) => each === organization).length;
    return taken.length < this.capacity && (own === 0 || own + 1 <= this.capacity / 2);
  }

  hold(organization: string, id: string, live: boolean): Listed {
    const known = this.find(organization, id);
    if (known !== undefined) return known;
    this.#number += 1;
    const listed = { organization, id, live, calls: 0, unwritten: false, number: this.#number };
    this.runs.push(listed);
    this.#reorder();
    this.#evict(listed);
    return listed;
  }

  end(listed: Listed): void {
    if (!listed.live) return;
    this.runs = this.runs.filter((each) => each !== listed);
    this.runs.push(listed);
    listed.live = false;
    this.#evict(null);
  }

  forget(listed: Listed): void {
    if (listed.live) this.runs = this.runs.filter((each) => each !== listed);
    this.#reorder();
  }

  keepRoom(organization: string): void {
    this.awaited.push(organization);
    this.#reorder();
  }

  freeRoom(organization: string): void {
    const at = this.awaited.indexOf(organization);
    if (at !== -1) this.awaited.splice(at, 1);
    this.#reorder();
  }

  #evict(kept: Listed | null): void {
    while (this.runs.length > this.capacity) {
      const at = this.runs.findIndex((each) => !each.live && each.calls === 0 && !each.unwritten && each !== kept);
      if (at === -1) return;
      this.runs.splice(at, 1);
      this.#reorder();
    }
  }

  #reorder(): void {
    const here = new Set([...this.runs.map((each) => each.organization), ...this.awaited]);
    this.#order = [...this.#order.filter((each) => here.has(each)), ...[...here].filter((each) => !this.#order.includes(each))];
  }
}
