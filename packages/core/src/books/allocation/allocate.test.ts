/** Splitting of months by rules: everything adds up, whatever the weights, the signs and the figures. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallsLine } from '../month/month-sums.ts';
import { addUsage, figureIn, noUsage, usageFigureNames, type UsageFigures } from '../../report/usage-sum.ts';
import { allocate, splitPartsMax, type Allocation, type MonthToAllocate } from './allocate.ts';
import { divideByWeights, roundSum } from './round-together.ts';
import type { AllocationRule, AllocationRules, OwnerOf } from './rules.ts';

function figures(cost: bigint, calls = 1): UsageFigures {
  return usageFigureNames.map((name) => (name === 'cost' ? cost : name === 'calls' ? calls : 0));
}
const line = (cost: bigint, given: Partial<CallsLine> = {}): CallsLine =>
  ({ key: 'key_1', project: '', labels: [], model: 'gpt-6', wire: 'openai', figures: figures(cost), ...given });
const rule = (given: Partial<AllocationRule>): AllocationRule =>
  ({ keys: null, projects: null, people: null, models: null, labels: null, target: { kind: 'label', prefix: 'team:' }, ...given });
const rules = (given: Partial<AllocationRules>): AllocationRules =>
  ({ rules: [rule({})], rest: null, markup: 0n, currency: null, accounts: [], ...given });
const month = (given: Partial<MonthToAllocate>): MonthToAllocate => ({ calls: [], corrections: [], late: [], lateCorrections: [], ...given });
const nobody = () => undefined;
function allTurns(given: MonthToAllocate, by: AllocationRules, ownerOf: OwnerOf = nobody) {
  const work = allocate(given, by, ownerOf);
  for (let turns = 1; ; turns += 1) {
    const { done, value } = work.next();
    if (done === true) return { made: value, turns };
  }
}
const allocated = (given: MonthToAllocate, by: AllocationRules, ownerOf: OwnerOf = nobody): Allocation => {
  const { made } = allTurns(given, by, ownerOf);
  if (made === 'too_many_parts') throw new Error(made);
  return made;
};
const paid = ({ teams }: Allocation): Record<string, bigint> =>
  Object.fromEntries(teams.map(({ team, adjustedCost }) => [team ?? '(none)', adjustedCost]));

describe('allocation', () => {
  test('what is divided adds up to what there was, whatever the weights and signs', () => {
    assert.deepEqual(divideByWeights(100n, [1n, 1n, 1n]), [34n, 33n, 33n]);
    assert.deepEqual(divideByWeights(-100n, [1n, 1n, 1n]), [-33n, -33n, -34n]);
    assert.deepEqual(divideByWeights(7n, [0n, 5n, 0n]), [0n, 7n, 0n]);
    assert.deepEqual(roundSum([5n, 5n, 5n], 10n), [1n, 1n, 0n], 'a half goes to the even number');
    let seed = 7;
    const draw = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 500; round += 1) {
      const amount = BigInt(draw(1_000_000) - 500_000);
      const weights = Array.from({ length: 1 + draw(20) }, () => BigInt(draw(1_000)));
      weights[0] = weights[0]! + 1n;
      const parts = divideByWeights(amount, weights);
      const sum = weights.reduce((one, other) => one + other, 0n);
      assert.equal(parts.reduce((one, other) => one + other, 0n), amount);
      for (const [index, part] of parts.entries()) {
        const off = part * sum - amount * weights[index]!;
        assert.ok(off > -sum && off < sum, 'nobody is more than one unit off');
      }
    }
  });

  test('the first rule that takes a call decides, and the first label by the alphabet names the team', () => {
    const given = rules({
      rules: [
        rule({ keys: ['ci'], target: { kind: 'team', team: 'platform' } }), rule({ models: ['o1*'], labels: ['team:search'] }),
        rule({ people: ['ann@example.com'], target: { kind: 'team', team: 'ann' } }), rule({}),
        rule({ projects: ['web-*'], target: { kind: 'team', team: 'web' } }),
      ],
    });
    const owners = new Map([['key_ci', { name: 'ci', person: null }], ['key_ann', { name: null, person: 'ann@example.com' }]]);
    const made = allocated(month({
      calls: [
        line(1n, { key: 'key_ci', labels: ['team:search'] }), line(2n, { model: 'o1-pro', labels: ['team:ads', 'team:search'] }),
        line(4n, { key: 'key_ann', labels: ['team:search'] }), line(8n, { labels: ['team:', 'team:zoo'] }), line(16n, { project: 'web-1' }),
        line(32n, { project: 'other', labels: ['teams'] }),
      ],
    }), given, (key) => owners.get(key));
    assert.deepEqual(paid(made), { ads: 2n, ann: 4n, platform: 1n, web: 16n, zoo: 8n, '(none)': 32n });
    assert.deepEqual(made.teams.map(({ team }) => team), ['ads', 'ann', 'platform', 'web', 'zoo', null], 'unallocated comes last');
  });

  test('shared keys are split by weights, or by what each team pays for itself; the rest by its own rule', () => {
    const shared = [rule({}), rule({ keys: ['key_shared'], target: { kind: 'own_shares' } }),
      rule({ keys: ['key_halves'], target: { kind: 'weights', weights: [['a', 1n], ['c', 1n]] } })];
    const calls = [
      line(30n, { labels: ['team:a'] }), line(10n, { labels: ['team:b'] }), line(101n, { key: 'key_shared' }), line(7n, { key: 'key_halves' }),
      line(9n, { key: 'key_unknown' }),
    ];
    const left = allocated(month({ calls }), rules({ rules: shared }), nobody);
    assert.deepEqual(paid(left), { a: 30n + 76n + 4n, b: 10n + 25n, c: 3n, '(none)': 9n });
    const spread = allocated(month({ calls }), rules({ rules: shared, rest: { kind: 'own_shares' } }), nobody);
    assert.deepEqual(paid(spread), { a: 30n + 76n + 4n + 7n, b: 10n + 25n + 2n, c: 3n });
    assert.deepEqual(allocated(month({ calls: [line(5n)] }), rules({ rest: { kind: 'own_shares' } })).teams.map(({ team }) => team), [null],
      'nobody pays for anything, so there is nothing to go by');
  });

  test('corrections go by the calls of their model and provider, then of the provider; late ones by those of their month', () => {
    const calls = [
      line(30n, { labels: ['team:a'] }), line(10n, { labels: ['team:b'] }), line(60n, { labels: ['team:b'], model: 'gpt-5' }),
      line(100n, { labels: ['team:c'], wire: 'anthropic', model: 'claude' }),
    ];
    const made = allocated(month({
      calls,
      corrections: [
        { model: 'gpt-6', wire: 'openai', amount: -4n }, { model: 'web_search', wire: 'openai', amount: 100n },
        { model: '', wire: 'azure', amount: 200n },
      ],
      late: [line(5n, { labels: ['team:z'] }), line(3n)],
      lateCorrections: [{ calls: [line(1n, { labels: ['team:old'] })], corrections: [{ model: 'gpt-6', wire: 'openai', amount: 11n }] }],
    }), rules({}), nobody);
    const shown = made.teams.map(({ team, correction, late, lateCorrection }) => [team, correction, late, lateCorrection]);
    assert.deepEqual(shown, [
      ['a', -3n + 30n + 30n, 0n, 0n], ['b', -1n + 70n + 70n, 0n, 0n], ['c', 100n, 0n, 0n],
      ['old', 0n, 0n, 11n], ['z', 0n, 5n, 0n], [null, 0n, 3n, 0n],
    ]);
  });

  test('markup and currency are separate figures that add up to those of the sum', () => {
    const calls = ['a', 'b', 'c'].map((team, index) => line(BigInt(index + 1) * 333n, { labels: [`team:${team}`] }));
    const { teams } = allocated(month({ calls }),
      rules({ markup: 50_000n, currency: { code: 'EUR', rate: 913_700_001n, date: '2026-10-31' } }), nobody);
    assert.deepEqual(teams.map(({ markup }) => markup), [17n, 33n, 50n]);
    assert.equal(teams.reduce((sum, { converted }) => sum + converted!, 0n), (2_098n * 913_700_001n + 500_000_000n) / 1_000_000_000n);
    assert.equal(teams.reduce((sum, { adjustedCost }) => sum + adjustedCost, 0n), 1_998n);
  });

  test('every figure adds up to that of the month, for a thousand kinds of calls', () => {
    let seed = 11;
    const draw = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const calls = Array.from({ length: 1_000 }, (_, index): CallsLine => line(0n, {
      key: `key_${draw(9)}`, project: `p${draw(4)}`, labels: draw(3) === 0 ? [] : [`team:${draw(12)}`], model: `m${draw(5)}`,
      figures: usageFigureNames.map((name) =>
        (name === 'cacheSavings' ? draw(2_000) - 1_000 : name === 'cost' ? BigInt(draw(1e9)) * 999_983n : draw(index + 1))),
    }));
    const made = allocated(month({ calls }), rules({
      rules: [rule({}), rule({ keys: ['key_1', 'key_2'], target: { kind: 'weights', weights: [['0', 3n], ['1', 1n], ['2', 7n]] } }),
        rule({ keys: ['key_3'], target: { kind: 'own_shares' } })],
    }), nobody);
    const sum = noUsage();
    for (const each of calls) addUsage(sum, each.figures);
    for (const parts of [made.lines, made.teams]) {
      const total = noUsage();
      for (const each of parts) addUsage(total, each.figures);
      assert.deepEqual(usageFigureNames.map((name) => figureIn(total, name)), usageFigureNames.map((name) => figureIn(sum, name)));
    }
    assert.ok(made.teams.length === 13 && made.lines.some(({ share }) => share === 'split'));
  });

  test('many lines and many names: each line is looked at once, each name once, and others work in between', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `nothing-${index}`);
    let looked = 0;
    const watched = (list: readonly string[]): readonly string[] => new Proxy(list, {
      get: (target, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) looked += 1;
        return Reflect.get(target, name) as unknown;
      },
    });
    const many = Array.from({ length: 100 }, () => rule({
      models: watched(names), labels: watched(names.map((name) => `${name}*`)), target: { kind: 'team', team: 'none' },
    }));
    const calls = Array.from({ length: 20_000 }, (_, index) => line(1n, { labels: [`team:${index % 7}`], model: `m${index % 90}` }));
    const { made, turns } = allTurns(month({ calls }), rules({ rules: [...many, rule({})] }));
    assert.ok(made !== 'too_many_parts' && made.teams.length === 7);
    assert.equal(looked, 200_000, 'as many as there are names');
    assert.ok(turns >= 10, 'a slice is some thousand lines');
  });

  test('what would be split into more parts than may be is refused before it is split', () => {
    const teams = Array.from({ length: 500 }, (_, index) => line(1n, { labels: [`team:${index}`] }));
    const shared = (count: number) => Array.from({ length: count }, (_, index) => line(1n, { key: 'shared', project: `p${index}` }));
    const by = rules({ rules: [rule({ keys: ['shared'], target: { kind: 'own_shares' } }), rule({})] });
    const split = (count: number) => allTurns(month({ calls: [...teams, ...shared(count)] }), by).made;
    assert.equal(split(splitPartsMax / 500 + 1), 'too_many_parts');
    assert.notEqual(split(2), 'too_many_parts');
  });

  test('the index takes what each rule, asked one after the other, would take', () => {
    let seed = 5;
    const draw = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const word = (): string => `${'ab'[draw(2)]!}${'ab'[draw(2)]!}${draw(3)}`;
    const pattern = (): string => (draw(3) === 0 ? `${word().slice(0, draw(4))}*` : word());
    const some = (): readonly string[] | null => (draw(3) > 0 ? null : Array.from({ length: 1 + draw(3) }, pattern));
    const fits = (patterns: readonly string[], name: string): boolean => name !== ''
      && patterns.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name));
    for (let round = 0; round < 60; round += 1) {
      const drawn = Array.from({ length: 1 + draw(70) }, (_, index) => rule({
        keys: some(), people: some(), projects: some(), models: some(), labels: some(),
        target: draw(3) === 0 ? { kind: 'label', prefix: word().slice(0, 1 + draw(3)) } : { kind: 'team', team: `t${index}` },
      }));
      const owners = new Map([['aa0', { name: word(), person: word() }], ['ab1', { name: null, person: word() }]]);
      const calls = Array.from({ length: 30 }, () => line(1n, {
        key: draw(2) === 0 ? word() : 'aa0', project: draw(4) === 0 ? '' : word(), model: word(),
        labels: Array.from({ length: draw(4) }, word).sort(),
      }));
      const plain = (each: CallsLine): string => {
        const owner = owners.get(each.key);
        for (const { keys, people, projects, models, labels, target } of drawn) {
          const holds = (keys === null || fits(keys, each.key) || fits(keys, owner?.name ?? ''))
            && (people === null || fits(people, owner?.person ?? ''))
            && (projects === null || fits(projects, each.project)) && (models === null || fits(models, each.model))
            && (labels === null || each.labels.some((label) => fits(labels, label)));
          if (!holds) continue;
          if (target.kind === 'team') return target.team;
          const { prefix } = target as { readonly prefix: string };
          const label = each.labels.find((text) => text.length > prefix.length && text.startsWith(prefix));
          if (label !== undefined) return label.slice(prefix.length);
        }
        return '(none)';
      };
      const wanted: Record<string, bigint> = {};
      for (const each of calls) wanted[plain(each)] = (wanted[plain(each)] ?? 0n) + 1n;
      assert.deepEqual(paid(allocated(month({ calls }), rules({ rules: drawn }), (key) => owners.get(key))), wanted);
    }
  });

  test('a correction under one name for several models goes by the calls of these', () => {
    const [search, ads, other] = ['search', 'ads', 'other'].map((team) => ({ labels: [`team:${team}`] }));
    const made = allocated(month({
      calls: [
        line(10n, { ...search!, model: 'gpt-4o-2024-08-06' }), line(30n, { ...ads!, model: 'gpt-4o-2024-11-20' }),
        line(100n, { ...other!, model: 'gpt-4o-mini-2024-07-18' }), line(100n, { ...other!, wire: 'upstream', model: 'gpt-4o-2024-08-06' }),
      ],
      corrections: [{ model: 'gpt-4o', wire: 'openai', amount: 8n }],
    }), rules({}));
    assert.deepEqual(made.teams.map(({ team, correction }) => [team, correction]), [['ads', 6n], ['other', 0n], ['search', 2n]]);
  });

  test('the index of many names, and corrections among many parts, are made in slices', () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `name ${at}${at % 2 === 0 ? '*' : ''}`);
    const many = Array.from({ length: 100 }, () => rule({ labels: names(1_000), target: { kind: 'team', team: 'a' } }));
    const asked = rules({ rules: many });
    assert.ok(allTurns(month({}), asked).turns >= 50, 'a hundred thousand names');
    const calls = Array.from({ length: 40_000 }, (_, at) => line(1n, { model: `model ${at}` }));
    const without = allTurns(month({ calls }), rules({})).turns;
    const corrected = allTurns(month({ calls, corrections: [{ model: 'model 7', wire: 'openai', amount: 1n }] }), rules({})).turns;
    assert.ok(corrected >= without + 20, `${corrected} ${without}`);
  });

  test('many corrections of models whose names are alike are divided without going through all calls for each', () => {
    const dated = (at: number) => `gpt-4o-2024-${String(1 + at % 12).padStart(2, '0')}-0${1 + Math.floor(at / 12)}`;
    const models = Array.from({ length: 40 }, (_, at) => dated(at));
    const calls = Array.from({ length: 500 }, (_, at) => models.map((model) => line(1n, { model, project: `p${at}` }))).flat();
    const day = [...models, 'gpt-4o', 'gpt-4o-2023-01-01'].map((model) => ({ model, wire: 'openai', amount: 7n }));
    const corrections = Array.from({ length: 31 }, () => day).flat();
    const { made, turns } = allTurns(month({ calls, corrections }), rules({}));
    assert.ok(made !== 'too_many_parts' && turns < 100, `${turns}`);
    assert.equal(made.teams.reduce((sum, { correction }) => sum + correction, 0n), 7n * BigInt(corrections.length));
  });
});
