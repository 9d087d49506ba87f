/**
 * `node bench/guard-decisions.ts [--quick]`: what the guards alone take of a call, in nanoseconds: its decision, what it takes, its budget headers
 * and its settlement. Calls without a cap of a person or a label are compared with the same beside such caps of others, and with calls that such
 * caps bind. Rounds are short and mirrored, and nothing but the guards runs, so a difference shows that is lost in what a whole call takes
 * (`guards.ts`). Prints the median of the rounds and the ratios. If a call is refused, the benchmark fails: exit code 1.
 */
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import type { CapId, PersonId } from '@metergate/core/id.ts';
import type { Cap } from '@metergate/core/spend/cap.ts';
import type { GuardedCall, Guards } from '@metergate/gateway/guards/guards.ts';
import { dollars, endedRecord, testHeld, testKey, testOrganization } from '@metergate/gateway/guards/test-support/run-fixture.ts';
import { testGuards, testStandings } from '@metergate/gateway/guards/test-support/standing-fixture.ts';

const plan = process.argv.includes('--quick') ? { rounds: 12, calls: 50_000 } : { rounds: 60, calls: 200_000 };
const person = 'usr_other' as PersonId;
/** Of this clock a second passes with each call, so that no rate limit refuses one. */
let passedMs = 0;
const clock = { wallMs: () => 1_800_000_000_000, monotonicMs: () => passedMs };

const cap = (scope: Cap['scope'], subject: string | null): Cap =>
  ({ id: `${scope}-${subject}` as CapId, scope, subject, window: 'year', limit: dollars(1_000_000), mode: 'refuse' });
/** As many people and labels as a larger organization caps. */
const others = [
  ...Array.from({ length: 100 }, (_, at) => cap('person', `usr_other_${at}`)),
  ...Array.from({ length: 100 }, (_, at) => cap('label', `team:other-${at}`)),
];
const labels = ['team:search', 'stage:prod'];

interface Kind {
  readonly name: string;
  readonly call: () => GuardedCall;
  readonly guards: Guards;
}

function kind(name: string, called: { caps: readonly Cap[]; labels?: readonly string[]; key?: Partial<ServiceKeySettings> }): Kind {
  const organization: OrganizationSettings = testOrganization({ caps: called.caps });
  const held = testHeld(organization, testKey(called.key), testStandings(clock.monotonicMs));
  return {
    name, guards: testGuards({ clock }),
    call: () => ({ held, estimate: 1, runCall: null, unmetered: null, taken: null, labels: called.labels ?? [] }),
  };
}

const kinds = [
  kind('no such caps', { caps: [] }),
  kind("others' caps", { caps: others }),
  kind("labels, others' caps", { caps: others, labels }),
  kind("the person's cap", { caps: [...others, cap('person', person)], key: { person } }),
  kind("a label's cap", { caps: [...others, cap('label', labels[0]!)], labels }),
];

/** Nanoseconds of one call. */
function round({ call, guards }: Kind): number {
  const record = endedRecord({ cost: dollars(0.000_001), startedAtMs: clock.wallMs() });
  const began = process.hrtime.bigint();
  for (let at = 0; at < plan.calls; at += 1) {
    const one = call();
    passedMs += 1_000;
    if (guards.decide(one) !== null) throw new Error('a call was refused');
    guards.take(one);
    guards.addBudgetHeaders(one, []);
    guards.settle(one, record);
  }
  return Number(process.hrtime.bigint() - began) / plan.calls;
}

const rounds: number[][] = kinds.map(() => []);
for (let at = 0; at < plan.rounds; at += 1) {
  const order = kinds.map((_, index) => index);
  for (const index of at % 2 === 0 ? order : order.toReversed()) rounds[index]!.push(round(kinds[index]!));
}
const medians = rounds.map((took) => took.toSorted((left, right) => left - right)[Math.floor(took.length / 2)]!);
for (const [at, { name }] of kinds.entries()) {
  console.log(`${name.padEnd(22)} ${medians[at]!.toFixed(0).padStart(6)} ns a call   ${(medians[at]! - medians[0]!).toFixed(0).padStart(6)} ns more`);
}
