/** What the attacks of one organization are aimed at, and what several of them do. */
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall, RawConnection } from '@metergate/testkit/raw-client.ts';

/** A running product, and what one organization has there. */
export interface Attacked {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  readonly key: string;
  readonly tapKey: string;
  /** A management token of an admin; empty for attacks that need none. */
  readonly token: string;
  /** Accepts connections and says nothing. */
  readonly blackHoleUrl: string;
  /** How hard: 1 is what a benchmark measures, less is for tests. Multiplies how many of each there are at once. */
  readonly scale: number;
}

/** At least one. */
export function scaled({ scale }: Attacked, count: number): number {
  return Math.max(1, Math.round(count * scale));
}

export const json: HeaderPair = ['content-type', 'application/json'];

export function bearer(credential: string): HeaderPair {
  return ['Authorization', `Bearer ${credential}`];
}

/** Resolves a little later. */
export function pass(ms: number): Promise<void> {
  return new Promise((resume) => { setTimeout(resume, ms); });
}

/** Repeats something until the process ends, also after a failure. */
export async function forEver(work: () => Promise<unknown>, pauseMs: number): Promise<never> {
  for (;;) {
    await work().catch(() => {});
    await pass(pauseMs);
  }
}

/** That many at once by its scale, each repeated until the process ends. */
export function inParallel(attacked: Attacked, count: number, { work, pauseMs }: { work: () => Promise<unknown>; pauseMs: number }): void {
  const many = scaled(attacked, count);
  for (let at = 0; at < many; at += 1) void forEver(work, many >= count ? pauseMs : pauseMs / (many / count));
}

/** That many connections, each of which sends this. Those that are refused are not replaced. */
export async function occupy(url: string, count: number, bytes: string): Promise<RawConnection[]> {
  const open: RawConnection[] = [];
  for (let at = 0; at < count; at += 1) {
    const connection = await RawConnection.open(url, { keepBodies: false }).catch(() => null);
    if (connection === null) continue;
    connection.socket.on('error', () => {}).on('end', () => connection.socket.destroy());
    if (bytes !== '') connection.send(bytes);
    open.push(connection);
  }
  return open;
}

/** The head of a chat call, with these lines for its framing. */
export function chatHead(key: string, framing: string): string {
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${framing}\r\n\r\n`;
}

/** A request to the platform's API. Rejects if no answer comes. */
export async function manage({ platformUrl, token }: Attacked, method: string, target: string, body?: unknown): ReturnType<typeof rawCall> {
  const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  return rawCall(platformUrl, { method, target: `/platform/v1${target}`, headers: [bearer(token), json], ...content });
}
