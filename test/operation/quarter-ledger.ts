/**
 * The own books of the played quarter: what calls were made, what a provider charges for them, and who has to pay. Nothing of it is asked of the
 * product. Money in nano-dollars.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { playedCall, searches } from '@metergate/core/books/reconcile/test-support/played-call.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { drawing } from '@metergate/store/test-support/contract-fixture.ts';

export const teams = Array.from({ length: 12 }, (_, index) => `team-${String(index).padStart(2, '0')}`);
const weights: readonly (readonly [string, bigint])[] = [[teams[0]!, 3n], [teams[4]!, 1n], [teams[7]!, 2n]];
const dayMs = 86_400_000;
const keyOf = (word: string, index: number): ServiceKeyId => `key_${word}${String(index).padStart(20 - word.length, '0')}` as ServiceKeyId;

/** Rules for the configuration file that say the same as `payers`. */
export const rules = {
  rules: [
    { keys: ['key_weighed*'], split: { [teams[0]!]: 3, [teams[4]!]: 1, [teams[7]!]: 2 } }, { keys: ['key_shared*'], split: 'own-shares' },
    { byLabel: 'team:*' }, { projects: ['assistant'], team: teams[3] },
  ],
  markup: '7.25', currency: { code: 'EUR', rate: '0.9137', date: '2026-03-31' },
  accounts: teams.map((team, index) => ({ team, account: String(6_400 + index), costCentre: `CC-${index}` })),
};

/** 200 keys, 40 of them shared; 3,000 labels beside those of teams. Some calls name no team, some have no known usage. */
export function playedMonth(organization: OrganizationId, monthMs: number, { calls, seed }: { readonly calls: number; readonly seed: number }) {
  const draw = drawing(seed);
  const days = (Date.UTC(new Date(monthMs).getUTCFullYear(), new Date(monthMs).getUTCMonth() + 1, 1) - monthMs) / dayMs;
  return Array.from({ length: calls }, (_, index): CallRecord => {
    const [number, kind] = [draw(200), draw(20)];
    const key = number < 160 ? keyOf('team', number) : number < 180 ? keyOf('weighed', number) : keyOf('shared', number);
    const day = index % days;
    const isClaude = kind < 6;
    const at = new Date(monthMs + day * dayMs + draw(86_000) * 1_000).toISOString();
    return playedCall(at, {
      id: `req_${seed.toString(16).padStart(8, '0')}${index.toString(16).padStart(24, '0')}` as CallRecord['id'], organization, key,
      project: ['web', 'assistant', null][draw(3)]!,
      labels: [`ticket:${draw(3_000)}`, ...(number < 150 ? [`team:${teams[number % 12]!}`] : [])].slice(draw(8) === 0 ? 1 : 0),
      ...(isClaude ? { wire: 'anthropic', endpoint: 'messages', path: '/v1/messages', model: 'claude-sonnet-4-5-20250929' }
        : kind < 12 && kind !== 7 ? { model: 'gpt-4o-mini-2024-07-18' } : {}),
      inputTokens: 1_000 + draw(900_000), outputTokens: draw(60_000),
      ...(kind === 7 ? { toolCalls: searches(1 + draw(3)) } : {}),
      ...(kind === 19 && day === 27 ? { usage: 'unknown', usageReason: 'cut', inputTokens: null, outputTokens: null } : {}),
    } as Partial<CallRecord>);
  });
}

export const costOf = (records: readonly CallRecord[]): bigint => records.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);

/** Who pays for a call: one team, several, or nobody. */
function payer({ key, labels, project }: CallRecord): string | null | 'weighed' | 'shared' {
  if (key.startsWith('key_weighed')) return 'weighed';
  if (key.startsWith('key_shared')) return 'shared';
  const label = labels.toSorted().find((each) => each.startsWith('team:'));
  return label?.slice('team:'.length) ?? (project === 'assistant' ? teams[3]! : null);
}

export interface Paid {
  readonly own: bigint;
  readonly split: bigint;
}

/** What each team pays of these calls. `base`: the calls by which `own-shares` are counted; by default the same. */
export function payers(records: readonly CallRecord[], base: readonly CallRecord[] = records): Map<string | null, Paid> {
  const paid = new Map<string | null, Paid>();
  const add = (team: string | null, name: keyof Paid, amount: bigint): void => {
    const { own, split } = paid.get(team) ?? { own: 0n, split: 0n };
    paid.set(team, name === 'own' ? { own: own + amount, split } : { own, split: split + amount });
  };
  const isSplit = (who: string | null): who is 'weighed' | 'shared' => who === 'weighed' || who === 'shared';
  const shares = new Map<string, bigint>();
  for (const record of base) {
    const who = payer(record);
    if (who !== null && !isSplit(who)) shares.set(who, (shares.get(who) ?? 0n) + (record.cost ?? 0n));
  }
  const pools = Map.groupBy(records.filter((record) => isSplit(payer(record))), (record) =>
    JSON.stringify([payer(record), record.project, record.model, record.wire]));
  for (const pool of pools.values()) {
    const parts = payer(pool[0]!) === 'weighed' ? weights : [...shares].sort(([one], [other]) => (one < other ? -1 : 1));
    const amounts = largestRemainders(costOf(pool), parts.map(([, weight]) => weight));
    for (const [index, amount] of amounts.entries()) add(parts[index]![0], 'split', amount);
  }
  for (const record of records) {
    const who = payer(record);
    if (!isSplit(who)) add(who, 'own', record.cost ?? 0n);
  }
  return paid;
}

function largestRemainders(amount: bigint, parts: readonly bigint[]): bigint[] {
  const all = parts.reduce((sum, part) => sum + part, 0n);
  const whole = parts.map((part) => (amount * part) / all);
  const left = Number(amount - whole.reduce((sum, part) => sum + part, 0n));
  const byRest = parts.map((part, index) => ({ index, rest: (amount * part) % all }))
    .sort((one, other) => (one.rest === other.rest ? one.index - other.index : one.rest > other.rest ? -1 : 1));
  for (const { index } of byRest.slice(0, left)) whole[index]! += 1n;
  return whole;
}

const searchFee = 10_000_000n;
type Items = Map<string, bigint>;

/** What OpenAI charges: by day and item. */
export function chargedBy(records: readonly CallRecord[]): Map<string, Items> {
  const days = new Map<string, Items>();
  for (const { wire, startedAtMs, model, cost, toolCalls } of records) {
    const day = new Date(startedAtMs).toISOString().slice(0, 10);
    const items = days.get(day) ?? new Map<string, bigint>();
    days.set(day, items);
    if (wire !== 'openai' || cost === null) continue;
    const fees = searchFee * BigInt(toolCalls?.webSearch ?? 0);
    const add = (name: string, amount: bigint): void => { if (amount > 0n) items.set(name, (items.get(name) ?? 0n) + amount); };
    add(`${model}, input`, cost - fees);
    add('web search tool calls', fees);
  }
  return days;
}

/** The costs as OpenAI's API pages them. */
export function billOf(days: ReadonlyMap<string, Items>): string {
  const data = [...days].sort(([one], [other]) => (one < other ? -1 : 1)).map(([day, items]) => ({
    object: 'bucket', start_time: Date.parse(day) / 1_000, end_time: Date.parse(day) / 1_000 + 86_400,
    results: [...items].map(([line_item, amount]) => ({
      object: 'organization.costs.result', line_item, project_id: null,
      amount: { value: `${amount / 1_000_000_000n}.${String(amount % 1_000_000_000n).padStart(9, '0')}`, currency: 'usd' },
    })),
  }));
  return JSON.stringify({ object: 'page', data, has_more: false, next_page: null });
}

/** Plants a cent, a missing day, a doubled call, a call past the gateway and a search too many; returns what the bill has more, and the accused. */
export function planted(days: Map<string, Items>, month: string, records: readonly CallRecord[]) {
  const [gpt, mini, searched] = ['gpt-4o-2024-08-06, input', 'gpt-4o-mini-2024-07-18, input', 'web search tool calls'] as const;
  const change = (day: string, item: string, amount: bigint): bigint => {
    const items = days.get(`${month}-${day}`)!;
    items.set(item, (items.get(item) ?? 0n) + amount);
    return amount;
  };
  const doubled = records.find(({ startedAtMs, model, cost }) =>
    new Date(startedAtMs).toISOString().startsWith(`${month}-12`) && model === 'gpt-4o-2024-08-06' && (cost ?? 0n) > 0n)!;
  let more = change('05', gpt, 10_000_000n) + change('12', gpt, doubled.cost!) + change('15', 'gpt-5-2025-08-07, output', 500_000_000n);
  more += change('20', searched, searchFee);
  const missing = days.get(`${month}-09`)!;
  for (const amount of missing.values()) more -= amount;
  const gone = [[gpt, 'gpt-4o-2024-08-06'], [mini, 'gpt-4o-mini-2024-07-18'], [searched, 'web_search']].filter(([name]) => missing.has(name!));
  days.set(`${month}-09`, new Map());
  return {
    more,
    accused: [
      ['05', 'gpt-4o-2024-08-06', 'theirs_more'], ...gone.map(([, name]) => ['09', name!, 'ours_only']), ['12', 'gpt-4o-2024-08-06', 'theirs_more'],
      ['15', 'gpt-5-2025-08-07', 'theirs_only'], ['20', 'web_search', 'theirs_more'],
    ].sort((one, other) => (one.join() < other.join() ? -1 : 1)),
  };
}
