/**
 * Three nodes on one PostgreSQL store whose links to it are cut or slow near a limit (promise 4): the limit is exceeded by no more
 * than the calls in flight, one for each caller. `npm run bench -- --only overshoot` tries each trouble ten times and prints by how many.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startNetwork, tryLimit, troubles, type Network } from './overshoot-trial.ts';

let network: Network;
before(async () => { network = await startNetwork(); });
after(() => network?.stop());

/** 12 calls in flight under trouble; 30 where only a person or a label is limited. */
const trials = [
  ['all nodes cut off', 'cap', 1_500, 4], ['one node cut off', 'run', 1_500, 4], ['200 ms each way', 'cap', null, 4],
  ['none', 'person', null, 10], ['none', 'label', null, 10], ['one node cut off', 'label', 1_500, 4], ['200 ms each way', 'person', null, 4],
] as const;
for (const [name, limited, lastsMs, callersPerNode] of trials) {
  test(`${name}, on the last dollars of a ${limited}: exceeded by no more than the calls in flight`, async () => {
    const trouble = { ...troubles.find((each) => each.name === name)!, lastsMs };
    const outcome = await tryLimit({ network, trouble, limited, name: `${name} ${limited}`, callersPerNode, limitCalls: 80, giveUpMs: 8_000 });
    assert.ok(outcome.answered > 0 && outcome.passedBy <= 3 * callersPerNode, JSON.stringify(outcome));
    assert.equal(outcome.others, 0, JSON.stringify(outcome));
  });
}
