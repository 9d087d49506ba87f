/**
 * The member `type` of an object in a caller's message, and whether every reader sees the same one. Readers differ in which value they take where
 * the name comes twice, and whether another case of the name is the same name.
 */
import { watched, WatchedValue } from '../../json/watched-value.ts';

/** Places for all spellings of a name of four lower-case letters but the plain one. */
export function otherSpellings(name: string): Readonly<Record<string, WatchedValue>> {
  return Object.fromEntries(Array.from({ length: 15 }, (_, index) =>
    [[...name].map((letter, place) => ((index + 1) >> place & 1) === 1 ? letter.toUpperCase() : letter).join(''), watched()]));
}

export class TypeMember {
  readonly #value = new CountedValue();
  readonly #others = otherSpellings('type');
  readonly #otherPlaces = Object.values(this.#others);
  /** By name, for the place of its object. */
  readonly places: Readonly<Record<string, WatchedValue>> = { type: this.#value, ...this.#others };

  /** A message follows. */
  begin(): void {
    this.#value.begin();
  }

  /** Null: there is none, it is no text, or not every reader sees the same. */
  get text(): string | null {
    return this.#value.times === 1 && this.#otherPlaces.every(({ kind }) => kind === 'absent') ? this.#value.string() : null;
  }
}

/** Counts how often its name comes in a message. */
class CountedValue extends WatchedValue {
  #timesBefore = 0;

  constructor() {
    super(null, null);
  }

  get times(): number {
    return this.#timesBefore + (this.kind === 'absent' ? 0 : 1);
  }

  begin(): void {
    this.forget();
    this.#timesBefore = 0;
  }

  override forget(): void {
    if (this.kind !== 'absent') this.#timesBefore += 1;
    super.forget();
  }
}
