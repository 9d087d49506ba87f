/**
 * The organization beside the hostile one: it makes calls, begins runs, signs in, reads pages and reports to the tap, each kind by itself and one
 * after the other, and keeps how long each took and what went wrong. The tokens reported to it are counted, to be compared with its records.
 */
import { randomBytes } from 'node:crypto';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall, type RawAnswer, type RawCall } from '@metergate/testkit/raw-client.ts';
import { bearer, json, pass } from './attacked.ts';

export const kinds = ['call', 'stream', 'run', 'sign-in', 'page', 'list', 'tap'] as const;
export type Kind = typeof kinds[number];

export interface GoodNeighbour {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  readonly key: string;
  readonly tapKey: string;
  readonly email: string;
  readonly password: string;
}

/** How long each kind waits after one is done, milliseconds. */
const pausesMs: Readonly<Record<Kind, number>> = { call: 20, stream: 40, run: 150, 'sign-in': 700, page: 200, list: 300, tap: 250 };

/** Its own address, as a proxy in front of the platform tells it. */
const from: HeaderPair = ['x-forwarded-for', '192.0.2.7'];

export class Neighbour {
  /** What went wrong, a line each. */
  readonly faults: string[] = [];
  /** Chat calls that were answered, and the tokens that the provider reported for them. */
  calls = 0;
  promptTokens = 0;
  readonly #at: GoodNeighbour;
  #cookie = '';
  #made = 0;

  constructor(at: GoodNeighbour) {
    this.#at = at;
  }

  /** Each kind for that long, or that many times if `times` is given. The durations of each, milliseconds. */
  async live({ ms = Infinity, times = Infinity }: { readonly ms?: number; readonly times?: number }): Promise<Record<Kind, number[]>> {
    if (this.#cookie === '') await this.#do('sign-in');
    const until = performance.now() + ms;
    const tookMs = await Promise.all(kinds.map(async (kind) => {
      const took: number[] = [];
      while (performance.now() < until && took.length < times) {
        const beganMs = performance.now();
        await this.#do(kind).catch((cause: unknown) => void this.faults.push(`${kind}: ${String(cause)}`));
        took.push(performance.now() - beganMs);
        await pass(pausesMs[kind]);
      }
      return [kind, took] as const;
    }));
    return Object.fromEntries(tookMs) as Record<Kind, number[]>;
  }

  #do(kind: Kind): Promise<unknown> {
    switch (kind) {
      case 'call': return this.#chat({});
      case 'stream': return this.#chat({ stream: true, stream_options: { include_usage: true } });
      case 'run': return this.#chat({}, [['x-svc-run-id', randomBytes(8).toString('hex')], ['x-svc-run-ttl', '1']]);
      case 'sign-in': return this.#signIn();
      case 'page': return this.#read('/', '/platform/v1/auth/session', '/platform/v1/overview', '/platform/v1/caps');
      case 'list': return this.#read('/platform/v1/calls?limit=50', '/platform/v1/keys', '/platform/v1/usage?by=day,model');
      case 'tap': return this.#tap();
    }
  }

  /** Every tenth body is large. */
  async #chat(body: object, run: readonly HeaderPair[] = []): Promise<void> {
    const n = this.#made += 1;
    const padded = JSON.stringify({ model: 'gpt-4o-mini', messages: [], n, ...body, pad: 'x'.repeat(n % 10 === 0 ? 100_000 : 100) });
    const answer = await this.#answered(this.#at.gatewayUrl, {
      target: '/v1/chat/completions', headers: [bearer(this.#at.key), json, ...run], body: padded,
    });
    if (!answer.body.toString().includes(`"prompt_tokens":${n},`)) throw new Error(`the answer is not that of call ${n}`);
    this.calls += 1;
    this.promptTokens += n;
  }

  async #signIn(): Promise<void> {
    const { platformUrl, email, password } = this.#at;
    const answer = await this.#answered(platformUrl, {
      target: '/platform/v1/auth/sign-in/email', headers: [json, from], body: JSON.stringify({ email, password }),
    });
    this.#cookie = answer.headers.find(([name]) => name.toLowerCase() === 'set-cookie')![1].split(';')[0]!;
  }

  async #read(...targets: readonly string[]): Promise<void> {
    for (const target of targets) await this.#answered(this.#at.platformUrl, { method: 'GET', target, headers: [['cookie', this.#cookie], from] });
  }

  #tap(): Promise<RawAnswer> {
    const event = {
      schema: 'svc-tap-v1', provider: 'openai', model: 'm', request_id: randomBytes(12).toString('hex'), input_tokens: 1, output_tokens: 1,
      cached_tokens: 0, stop_reason: 'stop', tool_calls: 0, status: 200, retries: 0, latency_ms: 1, rate_limit: null,
      timestamp: new Date().toISOString(), tag: 't',
    };
    return this.#answered(this.#at.platformUrl, {
      target: '/tap/v1/events', headers: [bearer(this.#at.tapKey), json], body: JSON.stringify({ events: [event] }),
    });
  }

  /** @throws Error if it is refused or does not come. */
  async #answered(url: string, call: RawCall): Promise<RawAnswer> {
    const answer = await rawCall(url, call);
    if (answer.status >= 300) throw new Error(`${call.target} was answered ${answer.status}: ${answer.body.toString().slice(0, 200)}`);
    return answer;
  }
}
