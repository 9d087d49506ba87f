/**
 * One recorded exchange with a provider, as files hold it → bytes and expectations that tests can use.
 * The format is that of the recorded corpus; our own fixtures follow it. A file of another format throws, naming the file.
 */
import { readFileSync } from 'node:fs';
import type { HeaderPair } from './http-message.ts';

/** What the provider reported, as read by a separate program; null if the response reports nothing. */
export interface ExpectedReading {
  readonly model: string | null;
  readonly finish: string | null;
  readonly input: number | null;
  readonly output: number | null;
  readonly cached: number | null;
  readonly cacheWrite: number | null;
  readonly reasoning: number | null;
  readonly cost: number | null;
}

/** One exchange. */
export interface Exchange {
  /** File name without its ending: names the exchange in test titles. */
  readonly name: string;
  readonly wire: string;
  readonly host: string;
  readonly request: { readonly method: string; readonly path: string; readonly headers: readonly HeaderPair[]; readonly body: Buffer };
  readonly response: {
    readonly status: number;
    readonly headers: readonly HeaderPair[];
    readonly body: Buffer;
    readonly recordedCoding: string | null;
  };
  readonly streamed: boolean;
  readonly expected: ExpectedReading;
}

interface ExchangeFile {
  readonly wire: string;
  readonly host: string;
  readonly request: { readonly method: string; readonly path: string; readonly headers: HeaderPair[]; readonly body: string };
  readonly response: {
    readonly status: number; readonly headers: HeaderPair[]; readonly body: string; readonly recorded_content_encoding: string | null;
  };
  readonly streamed: boolean;
  readonly expected: Omit<ExpectedReading, 'cacheWrite'> & { readonly cache_write: number | null };
}

/** What was reported, with two figures that the separate program does not know: cache writes of the first wire, and `x_groq`. */
function expectedOf({ expected: { cache_write: known, ...expected }, response }: ExchangeFile): ExpectedReading {
  const text = Buffer.from(response.body, 'base64').toString('utf8');
  const own = /"x_groq":\{(?:"id":"[^"]*",)?"usage":\{[^}]*"prompt_tokens":(\d+)[^}]*"completion_tokens":(\d+)/.exec(text);
  const written = /"(?:input|prompt)_tokens_details": ?\{[^}]*"cache_write_tokens": ?(\d+)/g;
  return {
    ...expected,
    ...(own === null || expected.input !== null ? {} : { input: Number(own[1]), output: Number(own[2]) }),
    cacheWrite: known ?? [...text.matchAll(written)].map((match) => Number(match[1])).at(-1) ?? null,
  };
}

/** The exchange of one file. @throws Error naming the file if it has another format. */
export function readExchange(file: URL): Exchange {
  const name = file.pathname.split('/').at(-1)?.replace(/\.json$/, '') ?? '';
  try {
    const json = JSON.parse(readFileSync(file, 'utf8')) as ExchangeFile;
    return {
      name, wire: json.wire, host: json.host, streamed: json.streamed,
      request: { ...json.request, body: Buffer.from(json.request.body, 'base64') },
      response: {
        status: json.response.status, headers: json.response.headers,
        body: Buffer.from(json.response.body, 'base64'), recordedCoding: json.response.recorded_content_encoding,
      },
      expected: expectedOf(json),
    };
  } catch (error) {
    throw new Error(`testkit: ${name} is no recorded exchange`, { cause: error });
  }
}
