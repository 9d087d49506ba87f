/** Attacks by many calls, by answers that decompress to much, and by runs. */
import { randomBytes } from 'node:crypto';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall, RawConnection } from '@metergate/testkit/raw-client.ts';
import { bearer, forEver, pass, scaled, type Attacked } from './attacked.ts';
import type { Bomb } from './hostile-provider.ts';

/** 190 calls at once, again and again: each on a new connection, or on kept ones; with a small body, or a large one. */
export type Burst = 'plain' | 'kept' | 'large' | Bomb;
export type CallAttack = Burst | 'runs';

const atOnceMax = 190;
const pauseMs = 1_000;

/** One call of a burst. */
function callOf(burst: Burst, key: string): Parameters<typeof rawCall>[1] {
  const body = JSON.stringify({ model: 'm', pad: 'x'.repeat(burst === 'large' ? 100_000 : 0) });
  return { target: '/upstream/v1/chat/completions', headers: [bearer(key), ['x-answer', burst]], body };
}

async function beginBursts(burst: Burst, attacked: Attacked): Promise<void> {
  const { gatewayUrl, key } = attacked;
  const atOnce = scaled(attacked, atOnceMax);
  const call = callOf(burst, key);
  const connections = Array.from({ length: burst === 'kept' ? atOnce : 0 }, () => RawConnection.open(gatewayUrl));
  const kept = await Promise.all(connections);
  const one = (at: number): Promise<unknown> => kept[at]?.call(call) ?? rawCall(gatewayUrl, call);
  void forEver(() => Promise.allSettled(Array.from({ length: atOnce }, (_, at) => one(at))), pauseMs);
}

function newRun({ gatewayUrl, key }: Attacked): Promise<unknown> {
  const run: HeaderPair = ['x-svc-run-id', randomBytes(8).toString('hex')];
  return rawCall(gatewayUrl, { target: '/v1/chat/completions', headers: [bearer(key), run], body: '{"model":"m"}' });
}

const burst = (name: Burst) => (attacked: Attacked): Promise<void> => beginBursts(name, attacked);

export const callAttacks: Readonly<Record<CallAttack, (attacked: Attacked) => Promise<unknown>>> = {
  plain: burst('plain'), kept: burst('kept'), large: burst('large'),
  bombs: burst('bombs'), 'bombs-gzip': burst('bombs-gzip'), 'bombs-deflate': burst('bombs-deflate'), 'bombs-zstd': burst('bombs-zstd'),
  /** More than its share of the registry, then one after the other. */
  async runs(attacked) {
    let begun = 0;
    void forEver(async () => {
      await Promise.allSettled(Array.from({ length: 10 }, () => newRun(attacked)));
      begun += 10;
      if (begun > 1_000) await pass(200);
    }, 0);
  },
};
