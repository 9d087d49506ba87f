/**
 * A request → the model that it asks for. Rule 6d. The one that its path names, since such a provider reads no other; else it is read from the
 * bytes as they go by, in constant memory: `model` at the top level of a JSON object, or the field `model` of a form. As in JavaScript, the last
 * of two equal names counts. What is longer than a model's name may be, or lies beyond the bound, is not read. Nothing here changes or delays a
 * request.
 */
import { JsonScanner } from '@metergate/core/json/json-scanner.ts';
import { watched } from '@metergate/core/json/watched-value.ts';
import { providerName } from '@metergate/core/usage/found-usage.ts';
import { firstValue } from '@metergate/core/call/header-pairs.ts';
import { FormFieldReader, formBoundary } from './form-field.ts';

/** The longest name that is kept, in UTF-16 units. */
export const requestedModelMax = 256;
/** How much of a body is looked at, in bytes: as much as of a chat body, which is held. */
const lookedAtBytesMax = 32 * 1024 * 1024;

/** Watches the body of one request go by. Never throws. */
export interface ModelWatch {
  /** The next bytes, cut anywhere. No reference to `chunk` is kept. */
  push(chunk: Uint8Array): void;
  /** What was read so far; null: nothing. */
  model(): string | null;
  /** Gives it back for the next body; it must not be touched afterwards. */
  release(): void;
}

/** How many idle watches are kept; each holds a dozen small objects. */
const idleMax = 128;
const idle: JsonModelWatch[] = [];

/** The watch for one body, by its request's headers. */
export function createModelWatch(rawHeaders: readonly string[]): ModelWatch {
  const boundary = formBoundary(firstValue(rawHeaders, 'content-type'));
  return boundary === null ? idle.pop() ?? new JsonModelWatch() : new FormModelWatch(boundary);
}

/** A model's name as records keep it; null if it is none. */
export function modelName(text: string | null): string | null {
  return text === null || text.length > requestedModelMax ? null : providerName(text);
}

class JsonModelWatch implements ModelWatch {
  readonly #place = watched();
  readonly #scanner = new JsonScanner(watched({ model: this.#place }));
  #bytes = 0;

  push(chunk: Uint8Array): void {
    if (this.#bytes >= lookedAtBytesMax) return;
    this.#bytes += chunk.length;
    this.#scanner.push(chunk);
  }

  model(): string | null {
    return modelName(this.#place.string());
  }

  release(): void {
    if (idle.length === idleMax) return;
    this.#scanner.clear();
    this.#bytes = 0;
    idle.push(this);
  }
}

class FormModelWatch implements ModelWatch {
  readonly #field: FormFieldReader;

  constructor(boundary: string) {
    this.#field = new FormFieldReader(boundary, 'model', requestedModelMax * 3);
  }

  push(chunk: Uint8Array): void {
    this.#field.push(chunk);
  }

  model(): string | null {
    return modelName(this.#field.value());
  }

  release(): void {
    // Forms are rare: each gets a new watch.
  }
}

/** Google's and its likes, the first provider's old engines, Azure's deployments, Bedrock's models, predictions of an owner's model. */
const namedByPath = [
  /\/models\/([^/]+\/[^/]+)\/predictions$/, /\/models\/([^/:]+):[a-z]+$/i, /\/(?:engines|deployments|model)\/([^/]+)\/[a-z/-]+$/,
];

/** The model that a path names, decoded; null: none. `path`: without its query. */
export function modelOfPath(path: string): string | null {
  if (!path.includes('/models/') && !path.includes('/engines/') && !path.includes('/deployments/') && !path.includes('/model/')) return null;
  for (const pattern of namedByPath) {
    const match = pattern.exec(path);
    if (match === null) continue;
    try {
      return modelName(decodeURIComponent(match[1]!));
    } catch {
      return modelName(match[1]!);
    }
  }
  return null;
}

/**
 * The model that is asked for, of what the path and the body name. The path goes first: a provider that takes it from there reads no other,
 * so what else stands in the body would only choose the price.
 */
export function requestedModelOf(path: string, inBody: string | null): string | null {
  return modelOfPath(path) ?? inBody;
}

/** The model that a query names, as `?model=…` of a Realtime connection; null: none. The last of two counts, as in a body. */
export function modelOfQuery(target: string): string | null {
  const query = target.indexOf('?');
  return query === -1 ? null : modelName(new URLSearchParams(target.slice(query)).getAll('model').at(-1) ?? null);
}
