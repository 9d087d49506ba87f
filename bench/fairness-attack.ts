/**
 * `node bench/fairness-attack.ts ATTACK[,ATTACK…] ATTACKED`: one organization's behaviour that another must not notice, until standard input
 * ends. Writes a line once it has begun. `ATTACKED` is JSON (`attacks/attacked.ts`). A separate process, so that it does not slow down the one
 * that measures. `node bench/fairness-attack.ts provider`: that organization's own provider, and an address that answers nothing; writes both.
 */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Attacked } from './attacks/attacked.ts';
import { callAttacks, type CallAttack } from './attacks/calls.ts';
import { connectionAttacks, type ConnectionAttack } from './attacks/connections.ts';
import { startBlackHole, startHostileProvider } from './attacks/hostile-provider.ts';
import { platformAttacks, type PlatformAttack } from './attacks/platform.ts';

export type Attack = CallAttack | ConnectionAttack | PlatformAttack;

const attacks: Readonly<Record<Attack, (attacked: Attacked) => Promise<unknown>>> = { ...callAttacks, ...connectionAttacks, ...platformAttacks };
const [wanted = '', attacked = '{}'] = process.argv.slice(2);

giveWayToProduct();
if (wanted === 'provider') {
  process.stdout.write(`${await startHostileProvider()} ${await startBlackHole()}\n`);
} else {
  const target = JSON.parse(attacked) as Attacked;
  await Promise.all(wanted.split(',').map((name) => attacks[name as Attack](target)));
  process.stdout.write('under way\n');
}
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));

/**
 * It plays other machines, so it must not take processor time from the product. Where there is no group for that (`attacks/other-machines.ts`) and
 * Linux parts processors among sessions first, a priority counts only within a session: this one is a session of its own (`beginAttack`), and the
 * session gives way as a whole. There are several, so each has the lowest priority: ten steps behind, they had as much of a processor together as
 * the product.
 */
function giveWayToProduct(): void {
  setPriority(19);
  try {
    writeFileSync('/proc/self/autogroup', '19');
  } catch {
    // Priorities count among all processes there.
  }
}
