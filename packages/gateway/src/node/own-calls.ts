/**
 * Calls that the node makes to itself, to see whether it forwards (decision 0206). One is known by a secret of this process in a header, and carries
 * no service key. It goes from the listener to the provider that the main thread plays, and back, by the same server and the same client as all
 * calls: but it is nobody's, so it is not journalled, recorded, billed or counted, and takes no limit. One at a time.
 */
import { timingSafeEqual } from 'node:crypto';
import { firstValue } from '@metergate/core/call/header-pairs.ts';
import type { CallerRequest, CallerResponse } from '../callers/caller-exchange.ts';
import { closeAfterThis } from '../callers/respond.ts';
import { createDestination } from '../network/create-destination.ts';
import type { Destination } from '../network/destination.ts';
import { ownCallHeader, type OwnCallSettings } from './own-call-settings.ts';

/** What the provider says is short. */
const answerBytesMax = 4_096;
const timeouts = { connectMs: 5_000, headMs: 5_000, idleBodyMs: 5_000 } as const;

export class OwnCalls {
  readonly #secret: Buffer;
  readonly #provider: Destination;
  #underWay = false;

  constructor({ secret, providerUrl }: OwnCallSettings) {
    this.#secret = Buffer.from(secret);
    this.#provider = createDestination({ origin: providerUrl, timeouts, guard: null });
  }

  /** Whether this request, which has no service key, is one of them: then it will be answered. */
  take(request: CallerRequest, response: CallerResponse): boolean {
    if (this.#underWay) return false;
    const said = Buffer.from(firstValue(request.rawHeaders, ownCallHeader) ?? '', 'latin1');
    if (said.length !== this.#secret.length || !timingSafeEqual(said, this.#secret)) return false;
    this.#underWay = true;
    this.#forward(request.url ?? '/', (status, body) => {
      this.#underWay = false;
      if (response.headersSent || response.destroyed) return;
      closeAfterThis(request.socket);
      response.writeHead(status, '', ['content-type', 'text/plain', 'content-length', String(body.length), 'connection', 'close']);
      response.end(body);
    });
    return true;
  }

  close(): Promise<void> {
    return this.#provider.close();
  }

  #forward(target: string, answered: (status: number, body: Buffer) => void): void {
    const parts: Buffer[] = [];
    let status = 0;
    let bytes = 0;
    const exchange = this.#provider.send({ method: 'GET', target, headers: [], body: null, contentLength: null, keyId: '' }, {
      head(code) { status = code; },
      data(chunk) {
        bytes += chunk.length;
        if (bytes > answerBytesMax) exchange.abort();
        else parts.push(chunk);
      },
      end: () => answered(status, Buffer.concat(parts)),
      failed: () => answered(502, Buffer.alloc(0)),
    });
  }
}
