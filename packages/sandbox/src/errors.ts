/** An error as each of the two providers words it. */
import type { SandboxWire } from './wire.ts';

export interface SandboxError {
  readonly status: number;
  readonly message: string;
}

interface WireErrors {
  /** The error's name by status; any other status from 500 on is the server's error, any other below it the request's. */
  readonly types: Readonly<Record<number, string>>;
  readonly serverType: string;
  readonly document: (type: string, error: SandboxError) => object;
}

const wireErrors: Readonly<Record<SandboxWire, WireErrors>> = {
  openai: {
    types: { 429: 'rate_limit_error', 402: 'insufficient_quota' },
    serverType: 'server_error',
    document: (type, { status, message }) => ({ error: { message, type, param: null, code: status === 404 ? 'unknown_url' : null } }),
  },
  anthropic: {
    types: {
      400: 'invalid_request_error', 401: 'authentication_error', 402: 'billing_error', 403: 'permission_error', 404: 'not_found_error',
      413: 'request_too_large', 429: 'rate_limit_error', 529: 'overloaded_error',
    },
    serverType: 'api_error',
    document: (type, { message }) => ({ type: 'error', error: { type, message } }),
  },
};

/** The body that goes with the status. */
export function errorDocument(wire: SandboxWire, error: SandboxError): object {
  const { types, serverType, document } = wireErrors[wire];
  return document(types[error.status] ?? (error.status >= 500 ? serverType : 'invalid_request_error'), error);
}
