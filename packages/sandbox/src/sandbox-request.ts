/** The body of a request → the fields that the sandbox uses. Unknown fields are ignored. */

/** A JSON object, read with care. */
export type Fields = Readonly<Record<string, unknown>>;

export interface SandboxRequest {
  /** The requested model; a default if the request names none. */
  readonly model: string;
  readonly streamed: boolean;
  readonly includeUsage: boolean;
  /** Size of the request body, from which input tokens are computed. */
  readonly bodyBytes: number;
  /** A number that differs from call to call, for ids. */
  readonly serial: number;
  readonly body: Fields;
}

/** Null if the body is not a JSON object. */
export function readRequest(bytes: Buffer, defaultModel: string, serial: number): SandboxRequest | null {
  const parsed = bodyObject(bytes.toString('utf8'));
  if (parsed === null) return null;
  const { model, stream, stream_options: options } = parsed;
  return {
    model: typeof model === 'string' ? model : defaultModel,
    streamed: stream === true,
    includeUsage: isFields(options) && options['include_usage'] === true,
    bodyBytes: bytes.length,
    serial,
    body: parsed,
  };
}

/** The JSON object that a text is; null: it is none. */
export function bodyObject(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; none if it is not a list. */
export function objectsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}
