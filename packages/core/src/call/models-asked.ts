/**
 * A call → every model that it may be asking for. Rule 6g. Stricter than the reading for records (rule 6d): providers differ in how they read a
 * name that comes twice or in another case, so each reading counts, and a body that has an unusual one is `unread`.
 */
import { JsonScanner } from '../json/json-scanner.ts';
import { watched, WatchedValue, type ValueKind } from '../json/watched-value.ts';
import type { BodyModels } from './allowed-models.ts';
import { percentDecoded } from './percent-decoded.ts';

/** More than this many times `model` in one body is no usual request. */
const namesMax = 16;

/** All spellings of `model` but the plain one: some JSON readers do not distinguish cases. */
const otherSpellings: readonly string[] = Array.from({ length: 31 }, (_, index) =>
  [...'model'].map((letter, place) => ((index + 1) >> place & 1) === 1 ? letter.toUpperCase() : letter).join(''));
/** Members by which routers take further models. */
export const furtherModels: readonly string[] = ['models', 'fallbacks'];

/** A place that remembers each text that stood at it. */
class EachText extends WatchedValue {
  readonly texts: string[] = [];
  #isUnusual = false;

  constructor() {
    super(null, null);
  }

  get isUnusual(): boolean {
    return this.#isUnusual || isContainer(this.kind);
  }

  override forget(): void {
    this.#isUnusual ||= isContainer(this.kind);
    super.forget();
  }

  override write(kind: ValueKind, source: Uint8Array, from: number, to: number): void {
    super.write(kind, source, from, to);
    const text = this.string();
    if (text === null || this.texts.length === namesMax) this.#isUnusual = true;
    else this.texts.push(text);
  }
}

function isContainer(kind: ValueKind): boolean {
  return kind === 'object' || kind === 'array';
}

/** A place that remembers whether anything stood at it. */
class EverThere extends WatchedValue {
  #wasThere = false;

  constructor() {
    super(null, null);
  }

  get wasThere(): boolean {
    return this.#wasThere || this.kind !== 'absent';
  }

  override forget(): void {
    this.#wasThere ||= this.kind !== 'absent';
    super.forget();
  }
}

/** Watches one JSON body go by, in pieces cut anywhere; time grows with the bytes alone, memory does not. Never throws. */
export class ModelScanner {
  readonly #model = new EachText();
  readonly #others = [...otherSpellings, ...furtherModels].map((name) => [name, new EverThere()] as const);
  readonly #body = watched({ model: this.#model, ...Object.fromEntries(this.#others) });
  readonly #scanner = new JsonScanner(this.#body);

  /** The next bytes. No reference to `chunk` is kept. */
  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** What the body asks for, if it ends here. Empty: it names no model. */
  result(): BodyModels {
    if (this.#scanner.verdict() !== 'valid' || this.#body.kind !== 'object') return 'unread';
    return this.#model.isUnusual || this.#others.some(([, place]) => place.wasThere) ? 'unread' : this.#model.texts;
  }
}

/**
 * The models that a target names, in any spelling: behind `models`, `engines`, `deployments` or `model` in its path, and as `model` in its
 * query. `target`: path and query as called.
 */
export function modelsOfTarget(target: string): readonly string[] {
  const query = target.indexOf('?');
  const path = percentDecoded(query === -1 ? target : target.slice(0, query));
  const byQuery = query === -1 ? [] : target.slice(query + 1).split('&').filter((part) => /^model=/i.test(percentDecoded(part)))
    .map((part) => percentDecoded(part.replaceAll('+', ' ')).slice('model='.length));
  return [...segmentsWithModels(path.split('/').filter((segment) => segment !== '')), ...byQuery];
}

function segmentsWithModels(segments: readonly string[]): string[] {
  return segments.flatMap((segment, at) => {
    const name = segments[at + 1];
    if (name === undefined) return [];
    switch (segment.toLowerCase()) {
      // Predictions are of an owner's model. Elsewhere a method follows the last colon.
      case 'models':
        if (segments[at + 3]?.toLowerCase() === 'predictions') return [`${name}/${segments[at + 2]}`];
        // No model: Claude's tokens are counted there, and the body says of which model.
        return segments[at - 2] === 'publishers' && name === 'count-tokens:rawPredict' ? [] : [withoutMethod(name)];
      case 'engines': case 'deployments': case 'model': return [name];
      default: return [];
    }
  });
}

function withoutMethod(name: string): string {
  const colon = name.lastIndexOf(':');
  return colon === -1 ? name : name.slice(0, colon);
}
