/** Each cell's leases are asked for, and overrun, by themselves. */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import type { CapId, OrganizationId } from '@metergate/core/id.ts';
import type { LeaseAnswer } from '@metergate/core/spend/lease/account.ts';
import { LeaseBook, type SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { emptySums } from '@metergate/core/spend/spend-sum.ts';
import { LeasesByCell } from './leases-by-cell.ts';
import { RunRegistry } from './run-registry.ts';
import { dollars } from './test-support/run-fixture.ts';

function context() {
  const clock = { wallMs: () => 1_000, monotonicMs: () => 0 };
  const shipped: number[] = [];
  const asked: { readonly claims: readonly SubjectClaim[]; readonly resolve: (answers: readonly LeaseAnswer[]) => void }[] = [];
  const leases = new LeasesByCell({
    bookOf: () => new LeaseBook(0), registry: new RunRegistry(10), clock, systemWallMs: () => 1_000, after: () => {},
    client: {
      claimLeases: (_batch, claims) => new Promise((resolve) => { asked.push({ claims, resolve }); }), shipNow: (cell) => void shipped.push(cell),
      runsCurrentAt: () => null, cellOf: (organization) => Number(organization.at(-1)),
    },
  });
  const of = (cell: number) => {
    const organization = `org_${cell}` as OrganizationId;
    const subject = leases.subject({ organization, scope: 'organization', subject: organization }, emptySums(1_000));
    const cap = { id: 'cap' as CapId, scope: 'organization', subject: null, window: 'month', limit: dollars(10), mode: 'refuse' } as const;
    const lease = leases.ofCap({ cap, scope: 'organization', sums: subject.sums, confirmed: false } as never, subject);
    return { subject, lease, call: { subjects: [subject], leases: [lease], held: null } };
  };
  return { leases, asked, shipped, of };
}

const granting = (granted: number): LeaseAnswer => ({
  granted: dollars(granted), spent: dollars(0), shipped: nanoDollars(0n), limit: dollars(10), validMs: 5_000, confirmMs: 2_500, contested: false,
});

test('a cell that does not answer holds up no claim of another one, and a lease that is overrun has its own cell shipped', async () => {
  const { leases, asked, shipped, of } = context();
  const [moving, other] = [of(3), of(1)];
  const answered: string[] = [];
  leases.ask([moving.lease], null, { withinMs: 250, answered: () => void answered.push('moving') });
  leases.ask([other.lease], null, { withinMs: 250, answered: () => void answered.push('other') });
  assert.deepEqual(asked.map(({ claims }) => claims.map(({ subject }) => subject.organization)), [['org_3'], ['org_1']]);
  asked[1]!.resolve([granting(1)]);
  await turn();
  assert.deepEqual(answered, ['other']);
  leases.taken(other.call);
  leases.settled(other.call, { startedAtMs: 1_000, cost: dollars(2) });
  assert.deepEqual(shipped, [1]);
});
