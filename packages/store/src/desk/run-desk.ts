/**
 * Questions and news about runs, on the store thread (rules: The path of a call; rule 13).
 * Questions that arrive while one transaction is under way are answered by the next one together; if they come one after the other,
 * they wait two milliseconds for company, since a transaction for each costs more than the calls themselves. If there are more than fit in one,
 * organizations take turns. An answer is never older than what was sent to the node before it: if the feed moved while it was being
 * made, the run is read again.
 * Before a run under an exposure limit is created, calls that have ended on this node are shipped, to free their exposure. The same happens
 * before any answer to a node that begins runs by itself, because it may ask for a run that it has begun and released. If
 * the store fails, a question is answered `failed`. A confirmation waits and is written before the next sweep, so that no run vanishes after a call
 * of it was opened.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Run } from '@metergate/core/run/run.ts';
import { noRuns, noteRun, type KnownRuns } from '@metergate/core/run/known-runs.ts';
import type { RunName } from '../runs/run-rows.ts';
import type { NewRun, RunAnswer } from '../runs/make-runs.ts';
import type { StoredRuns } from '../runs/runs.ts';
import { noSpentNews, type SpentNews } from './spent-news.ts';
import { InTurn } from './in-turn.ts';
import type { FromStore } from './protocol.ts';

interface RunDeskOptions {
  readonly runs: StoredRuns;
  readonly post: (message: FromStore) => void;
  /** Ships the calls that have ended here by now, as far as that can be done soon. Never rejects. */
  readonly keepEnded: () => Promise<void>;
  /** Milliseconds on a clock that never steps back. */
  readonly clock: () => number;
  readonly pause: (durationMs: number) => Promise<unknown>;
  /** The store is embedded: its node begins runs by itself once it knows which exist. */
  readonly embedded?: boolean;
  /** None by default: the store is shared. */
  readonly settled?: SpentNews;
}

interface RunDesk {
  /** Creates or finds a run, and always posts the answer. */
  open(number: number, run: NewRun): void;
  /** A call of the run was opened. Written before the next sweep. */
  confirm(run: { readonly organization: OrganizationId; readonly id: string }): void;
  /** On an embedded store: reads the names of all runs, in slices, and sends them once. Rejects if the store fails. */
  sendKnownRuns(): Promise<void>;
  /** Posts changes that other nodes made to runs. Rejects if the store fails. Not to be run twice at once. */
  poll(): Promise<void>;
  /** Writes confirmations, then sweeps. Rejects if the store fails. Not to be run twice at once. */
  sweep(nowMs: number): Promise<void>;
}

interface Question { readonly number: number; readonly run: NewRun }

/** Questions answered in one transaction. */
const questionsAtOnce = 200;
/** The shortest time between two transactions of questions that arrive one by one, and how long such questions wait for more. */
const inARowMs = 5;
const companyMs = 2;
/** How many unconfirmed runs are remembered, to be stored again if they vanish before their confirmation arrives. */
const unconfirmedMax = 20_000;
/** Names read at once, which takes a few milliseconds. */
const namesAtOnce = 2_000;

export function createRunDesk(options: RunDeskOptions): RunDesk {
  return new Desk(options);
}

class Desk implements RunDesk {
  readonly #runs: StoredRuns;
  readonly #post: (message: FromStore) => void;
  readonly #keepEnded: () => Promise<void>;
  readonly #clock: () => number;
  readonly #pause: RunDeskOptions['pause'];
  /** When the last transaction ended. */
  #answeredMs = -Infinity;
  readonly #questions = new InTurn<Question>();
  #answering = false;
  /** By name; oldest first. */
  readonly #unconfirmed = new Map<string, Run>();
  #confirmed: Run[] = [];
  /** The revision up to which the node is informed; null before the first poll. */
  #told: number | null = null;
  /** Grows with each post of the feed, so that an answer made meanwhile is known to be doubtful. */
  #news = 0;
  readonly #embedded: boolean;
  readonly #settled: SpentNews;
  /** The names being gathered for the node; null: already sent, or never to be. */
  #known: KnownRuns | null;

  constructor({ runs, post, keepEnded, clock, pause, embedded = false, settled = noSpentNews }: RunDeskOptions) {
    this.#embedded = embedded;
    this.#settled = settled;
    this.#known = embedded ? noRuns() : null;
    this.#clock = clock;
    this.#pause = pause;
    this.#runs = runs;
    this.#keepEnded = keepEnded;
    this.#post = post;
  }

  open(number: number, run: NewRun): void {
    if (this.#known !== null) noteRun(this.#known, run);
    this.#questions.push(run.organization, { number, run });
    if (!this.#answering) void this.#answer();
  }

  confirm({ organization, id }: { readonly organization: OrganizationId; readonly id: string }): void {
    const run = this.#unconfirmed.get(`${organization} ${id}`);
    if (run !== undefined && this.#unconfirmed.delete(`${organization} ${id}`)) this.#confirmed.push(run);
  }

  async sendKnownRuns(): Promise<void> {
    const known = this.#known;
    if (known === null) return;
    let last: RunName | null = null;
    for (let more = true; more;) {
      const names: RunName[] = await this.#runs.names(last, namesAtOnce);
      for (const name of names) noteRun(known, name);
      last = names.at(-1) ?? null;
      more = names.length === namesAtOnce;
      if (more) await turn();
    }
    this.#post({ kind: 'known_runs', known });
    this.#known = null;
  }

  async poll(): Promise<void> {
    this.#told ??= await this.#runs.feed();
    for (let more = true; more;) {
      const changes = await this.#runs.changes(this.#told);
      ({ through: this.#told, more } = changes);
      if (changes.runs.length === 0) continue;
      this.#news += 1;
      this.#post({ kind: 'runs_changed', runs: changes.runs });
    }
  }

  async sweep(nowMs: number): Promise<void> {
    await this.#writeConfirmed();
    await this.#runs.sweep(nowMs);
  }

  async #answer(): Promise<void> {
    this.#answering = true;
    if (this.#clock() - this.#answeredMs < inARowMs) await this.#pause(companyMs);
    while (!this.#questions.isEmpty) {
      const asked = this.#questions.take(questionsAtOnce);
      try {
        // Later changes are posted, so no answer misses the end of its run.
        this.#told ??= await this.#runs.feed();
        const before = this.#stamp;
        if (this.#embedded || asked.some(({ run }) => run.mayCreate && run.exposureLimit !== null)) await this.#keepEnded();
        const answers = await this.#runs.open(asked.map(({ run }) => run));
        await this.#settled.look();
        for (const [index, { number }] of asked.entries()) {
          this.#post({ kind: 'run', number, answer: this.#remember(await this.#current(answers[index]!, before)) });
        }
      } catch {
        for (const { number } of asked) this.#post({ kind: 'failed', number });
      }
    }
    this.#answeredMs = this.#clock();
    this.#answering = false;
  }

  async #current(answer: RunAnswer, before: number): Promise<RunAnswer> {
    let current = answer;
    for (let seen = before; current.kind === 'run' && this.#stamp !== seen;) {
      seen = this.#stamp;
      const run = await this.#runs.get(current.run);
      await this.#settled.look();
      if (run !== null) current = { ...current, run };
    }
    return current;
  }

  /** Differs if the node was sent anything that an answer may hold or lack. */
  get #stamp(): number {
    return this.#news + this.#settled.told;
  }

  #remember(answer: RunAnswer): RunAnswer {
    if (answer.kind !== 'run' || answer.confirmed) return answer;
    if (this.#unconfirmed.size >= unconfirmedMax) this.#unconfirmed.delete(this.#unconfirmed.keys().next().value!);
    this.#unconfirmed.set(`${answer.run.organization} ${answer.run.id}`, answer.run);
    return answer;
  }

  async #writeConfirmed(): Promise<void> {
    const runs = this.#confirmed;
    if (runs.length === 0) return;
    this.#confirmed = [];
    try {
      await this.#runs.confirm(runs);
    } catch (error) {
      this.#confirmed = [...runs, ...this.#confirmed];
      throw error;
    }
  }
}
