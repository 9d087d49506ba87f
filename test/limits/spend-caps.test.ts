/**
 * Spend caps from outside (spec: Budget cap, Errors 402 and 429; rules 1, 4, 5a and 11): every row to the letter, with
 * the headers it carries and those it must not; the provider is never contacted, nothing is recorded, no rate is taken.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarWindows, windowAt } from '@metergate/core/spend/window.ts';
import { rotateServiceKey } from '@metergate/platform/use-cases/service-keys.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { assertRefusal } from '../running-product.ts';
import { limitHeaders, meteredAnswer, noLimitHeaders, sharedProduct, type Tenant } from './tenant.ts';

const product = sharedProduct();
const names = { day: 'Daily', week: 'Weekly', month: 'Monthly', year: 'Yearly', lifetime: 'Lifetime' } as const;
const refused = (status: number) => ({ status, code: 'budget_exceeded', type: status === 429 ? 'rate_limit_error' : 'insufficient_quota' });

function sentence(window: keyof typeof names, scope: 'organization' | 'key'): string {
  const subject = scope === 'key' ? ' for this API key' : '';
  return `${names[window]} budget reached${subject}. ${window === 'lifetime'
    ? 'This budget does not reset; raise the cap to continue.' : 'Traffic resumes at reset, or raise the cap.'}`;
}

const contacted = (): number => product.system.openai.requests.length;

for (const scope of ['organization', 'key'] as const) {
  test(`a reached cap of scope ${scope} refuses as its window and mode say, and nothing else happens`, async () => {
    const tenant = await product.tenant({ enforceKeyCaps: true });
    await tenant.call();
    const before = contacted();
    for (const window of calendarWindows) {
      for (const mode of ['refuse', 'pause'] as const) {
        const id = await tenant.cap({ scope, window, mode, limit: '0', ...(scope === 'key' ? { key: tenant.keyId } : {}) });
        const status = mode === 'pause' ? 429 : 402;
        const sinceMs = Date.now();
        const answer = await tenant.until((each) => each.status === status);
        assertRefusal(answer, { ...refused(status), message: sentence(window, scope) });
        const { retryAfter, ...headers } = limitHeaders(answer);
        assert.deepEqual(headers, { scope, window, effective: null, clamp: null });
        assertRetryAfter(retryAfter, { mode, window, sinceMs });
        await tenant.removeCap(id);
        await tenant.until((each) => each.status === 200);
      }
    }
    const admitted = contacted() - before;
    const records = await keptCalls(product.store, tenant.id as never);
    assert.ok(records.length <= admitted + 1, 'a refused call leaves no record');
  });
}

/** `sinceMs`: the refused call was sent then or later. Its window may have ended meanwhile. */
function assertRetryAfter(
  retryAfter: string | null,
  { mode, window, sinceMs }: { readonly mode: 'refuse' | 'pause'; readonly window: keyof typeof names; readonly sinceMs: number },
): void {
  if (mode === 'refuse') return assert.equal(retryAfter, null);
  assert.match(retryAfter ?? '', /^\d+$/);
  if (windowAt(window, sinceMs).endMs === null) return assert.equal(retryAfter, '86400');
  const left = [sinceMs, Date.now()].map((atMs) => (windowAt(window, atMs).endMs! - atMs) / 1_000);
  assert.ok(Number(retryAfter) >= 1 && left.some((each) => Math.abs(Number(retryAfter) - each) < 60), `${retryAfter} of ${left}`);
}

test('a cap is reached when spend equals it, applies at once to the next call, and counts what was spent before it was made', async () => {
  const tenant = await product.tenant();
  await tenant.call(3);
  await tenant.cap({ scope: 'organization', window: 'day', limit: '5' });
  await tenant.until((answer) => limitHeaders(answer).scope === 'organization');
  assert.equal((await tenant.call(1)).status, 200);
  assert.equal((await tenant.call(1)).status, 200, 'at 4 of 5 one more passes, whatever it will cost');
  assert.equal((await tenant.call(1)).status, 402, 'at 5 of 5 none does');
  await tenant.cap({ scope: 'organization', window: 'day', limit: '6' });
  await tenant.until((answer) => answer.status === 200);
  const [cap] = await spentBy(tenant, '5.000000000');
  assert.deepEqual([cap?.limit, cap?.mode, cap?.unknownCalls], ['6.000000000', 'refuse', 0]);
});

/** The caps, once the sums have arrived in the store. */
async function spentBy(tenant: Tenant, spent: string): Promise<Awaited<ReturnType<Tenant['caps']>>> {
  let shown: string | undefined;
  return eventually(async () => {
    const caps = await tenant.caps();
    shown = caps[0]?.spent;
    return caps.every((cap) => cap.spent === spent) && caps;
  }, () => `spent is ${shown}, awaited ${spent}`);
}

test('key caps refuse nothing until the organization turns them on; project caps never do', async () => {
  const tenant = await product.tenant();
  await tenant.cap({ scope: 'key', key: tenant.keyId, window: 'day', limit: '0' });
  await tenant.cap({ scope: 'project', project: 'p', window: 'day', limit: '0' });
  const marker = await tenant.cap({ scope: 'organization', window: 'lifetime', limit: '1000' });
  const open = await tenant.until((answer) => limitHeaders(answer).scope !== null, { headers: [['x-svc-project', 'p']] });
  assert.deepEqual(limitHeaders(open), { ...noLimitHeaders, scope: 'organization', window: 'lifetime' });
  await tenant.set({ enforceKeyCaps: true });
  await tenant.until((answer) => answer.status === 402);
  const other = await tenant.newKey();
  assert.equal((await tenant.call(0, { key: other.key })).status, 200, 'another key is not bound by it');
  await tenant.set({ enforceKeyCaps: false });
  await tenant.removeCap(marker);
  await tenant.until((answer) => answer.status === 200 && limitHeaders(answer).scope === null);
});

test('a rotated key spends from one cap with both its secrets', async () => {
  const tenant = await product.tenant({ enforceKeyCaps: true });
  await tenant.cap({ scope: 'key', key: tenant.keyId, window: 'lifetime', limit: '2' });
  await tenant.until((answer) => limitHeaders(answer).scope === 'key');
  const rotated = await rotateServiceKey(product.context(), { id: tenant.keyId, within: null }, 3_600_000);
  assert.ok('key' in rotated);
  await tenant.until((answer) => answer.status === 200, { key: rotated.key });
  assert.equal((await tenant.call(2)).status, 200, 'the former secret is still good');
  assert.equal((await tenant.call(0, { key: rotated.key })).status, 402, 'what it spent counts for the present one');
});

test('of several reached caps the organization\'s is named first, and within a scope the one that resets last', async () => {
  const tenant = await product.tenant({ enforceKeyCaps: true });
  const reached = async (wanted: { scope: string; window: string }) => {
    const answer = await tenant.until((each) => limitHeaders(each).window === wanted.window && limitHeaders(each).scope === wanted.scope);
    assert.equal(answer.status, 402);
  };
  await tenant.cap({ scope: 'key', key: tenant.keyId, window: 'lifetime', limit: '0' });
  await reached({ scope: 'key', window: 'lifetime' });
  await tenant.cap({ scope: 'organization', window: 'day', limit: '0' });
  await reached({ scope: 'organization', window: 'day' });
  await tenant.cap({ scope: 'organization', window: 'year', limit: '0' });
  await reached({ scope: 'organization', window: 'year' });
});

test('a 200 names the tightest cap, the one with the least money left; other statuses name none', async () => {
  const tenant = await product.tenant({ enforceKeyCaps: true });
  await tenant.cap({ scope: 'organization', window: 'year', limit: '100' });
  await tenant.cap({ scope: 'organization', window: 'day', limit: '90' });
  await tenant.cap({ scope: 'key', key: tenant.keyId, window: 'month', limit: '90' });
  const first = await tenant.until((answer) => limitHeaders(answer).scope !== null && limitHeaders(answer).window === 'day');
  assert.deepEqual(limitHeaders(first), { ...noLimitHeaders, scope: 'organization', window: 'day' }, 'on a tie the organization');
  product.system.openai.respond({ status: 429, headers: [['Retry-After', '7']], body: '{"error":"theirs"}' });
  const theirs = await tenant.call(1);
  assert.deepEqual([theirs.status, limitHeaders(theirs)], [429, { ...noLimitHeaders, retryAfter: '7' }], "the provider's own 429 as it was sent");
  product.system.openai.respond(meteredAnswer);
  const other = await tenant.newKey();
  assert.equal(limitHeaders(await tenant.call(0, { key: other.key })).window, 'day');
});

test('a refused call uses up no rate limit: as many calls pass afterwards as if it had never come', async () => {
  const tenant = await product.tenant({ plan: 'free' });
  const cap = await tenant.cap({ scope: 'organization', window: 'day', limit: '0' });
  await tenant.until((answer) => answer.status === 402);
  const startedMs = performance.now();
  for (let call = 0; call < 230; call += 1) assert.equal((await tenant.call()).status, 402);
  await tenant.removeCap(cap);
  await tenant.until((answer) => answer.status !== 402);
  assert.ok(performance.now() - startedMs < 60_000, 'had the refused calls taken, the bucket would be empty still');
  assert.equal((await tenant.call()).status, 200);
});
