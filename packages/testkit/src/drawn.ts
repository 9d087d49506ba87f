/**
 * Drawn values for tests: fast-check, with a seed and a number of draws that hold for the whole run, so that a test says the same of the same
 * code each time. `METERGATE_DRAWS_SEED` is another seed, or `any` for a new one; `METERGATE_DRAWS_TIMES` draws that many times as often.
 * Decision 0099.
 */
import { env } from 'node:process';
import fc from 'fast-check';

const seed = wholeNumber('METERGATE_DRAWS_SEED', env['METERGATE_DRAWS_SEED'] === 'any' ? String(Date.now() % 2 ** 31) : '1');
const times = wholeNumber('METERGATE_DRAWS_TIMES', '1');

fc.configureGlobal({ seed, numRuns: draws(100) });

export { fc };

/** How often to draw where the usual run draws `usual` times: for `numRuns`. */
export function draws(usual: number): number {
  return usual * times;
}

function wholeNumber(name: string, standard: string): number {
  const given = env[name] === undefined || env[name] === 'any' ? standard : env[name];
  if (!/^[0-9]{1,10}$/.test(given)) throw new Error(`${name} is not a whole number.`);
  return Number(given);
}
