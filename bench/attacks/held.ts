/** What a product still holds once nothing is under way. */
import { heldBy } from '@metergate/testkit/at-rest.ts';
import { pass } from './attacked.ts';

/** What must then be zero in `/metrics`, besides all that is held for calls. */
const zeros = ['metergate_calls_in_flight', 'metergate_held_body_bytes', 'metergate_drains', 'metergate_faults_total'];

/** A line for each figure of `/metrics` that ought to be zero and is not after a minute; empty: nothing is held. */
export async function heldAtLast(opsUrl: string): Promise<string[]> {
  for (const until = performance.now() + 60_000;;) {
    const faults = await held(opsUrl);
    if (faults.length === 0 || performance.now() > until) return faults;
    await pass(250);
  }
}

async function held(opsUrl: string): Promise<string[]> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const figures = zeros.map((name) => [name, Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? NaN)] as const);
  const all = [...figures, ...Object.entries(await heldBy(opsUrl))];
  return all.filter(([, figure]) => figure !== 0).map(([name, figure]) => `${name} is ${figure} with nothing under way`);
}
