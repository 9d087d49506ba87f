/**
 * Which runs a node holds (rule 14): live ones never leave, ended ones leave oldest first when room is short, one organization
 * gets half at most; all of it also under random orders, against a list that is searched each time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { EndedState, Run } from '@metergate/core/run/run.ts';
import { RunRegistry, type HeldRun } from './run-registry.ts';
import { ListedRuns } from './test-support/listed-runs.ts';

const [orgA, orgB] = ['org_a', 'org_b'] as [OrganizationId, OrganizationId];

function run(id: string, given: Partial<Run> = {}): Run {
  return {
    organization: orgA, id, state: 'live', declared: null, effective: null, clampReason: null, spent: nanoDollars(0n),
    unknownCalls: 0, unpricedCalls: 0, gapCalls: 0, startedAtMs: 0, expiresAtMs: null, endedAtMs: null, ...given,
  };
}

function filled(capacity: number, live: number, organization: OrganizationId = orgA): RunRegistry {
  const registry = new RunRegistry(capacity);
  for (let each = 0; each < live; each += 1) registry.hold(run(`${each}`, { organization }), true);
  return registry;
}

test('a registry takes as many live runs as it can hold, and room is there again when one ends', () => {
  const registry = filled(8, 3);
  for (let each = 0; each < 4; each += 1) registry.hold(run(`b${each}`, { organization: orgB }), true);
  assert.equal(registry.hasRoom(orgA), true);
  const last = registry.hold(run('last'), true);
  assert.deepEqual([registry.hasRoom(orgA), registry.hasRoom(orgB), registry.live], [false, false, 8]);
  registry.end(last, 'closed', 7);
  assert.deepEqual([registry.hasRoom(orgA), registry.live, last.run.state, last.run.endedAtMs], [true, 7, 'closed', 7]);
});

test('an organization gets half of the registry, also as the only one, and a newcomer finds room at once', () => {
  const registry = filled(6, 3);
  assert.deepEqual([registry.hasRoom(orgA), registry.hasRoom(orgB)], [false, true]);
  registry.end(registry.find(orgA, '0')!, 'closed', 0);
  assert.equal(registry.hasRoom(orgA), true);
  const shared = filled(6, 2);
  shared.hold(run('b', { organization: orgB }), true);
  assert.equal(shared.hasRoom(orgA), true);
  shared.keepRoom(orgA);
  assert.deepEqual([shared.hasRoom(orgA), shared.hasRoom(orgB)], [false, true], 'what is asked for counts');
  shared.end(shared.find(orgA, '0')!, 'closed', 0);
  assert.equal(shared.hasRoom(orgA), true, 'ended runs take no part');
});

test('ended runs leave before live ones, the oldest end first, and none while there is room', () => {
  const registry = filled(4, 4);
  for (const id of ['2', '0', '3']) registry.end(registry.find(orgA, id)!, 'closed', 0);
  assert.equal(registry.held, 4);
  const holds = () => ['0', '1', '2', '3', 'x', 'y', 'z'].filter((id) => registry.find(orgA, id) !== undefined).join('');
  registry.hold(run('x'), true);
  assert.equal(holds(), '013x');
  registry.hold(run('y'), true);
  registry.hold(run('z'), true);
  assert.deepEqual([holds(), registry.live], ['1xyz', 4]);
});

test('an ended run with a call under way, or whose end is still to be written, waits its turn', () => {
  const registry = filled(2, 2);
  const [calling, unwritten] = ['0', '1'].map((id) => registry.find(orgA, id)!) as [HeldRun, HeldRun];
  calling.callsUnderWay = 1;
  unwritten.endUnwritten = true;
  for (const each of [calling, unwritten]) registry.end(each, 'over_budget', 0);
  registry.hold(run('x'), true);
  assert.deepEqual([registry.held, registry.find(orgA, '0')], [3, calling]);
  calling.callsUnderWay = 0;
  unwritten.endUnwritten = false;
  registry.hold(run('y'), true);
  assert.deepEqual([registry.held, registry.live], [2, 2]);
});

test('a run the store says has ended is held as such, though nothing else has room', () => {
  const registry = filled(2, 2);
  const held = registry.hold(run('x', { state: 'expired', endedAtMs: 1 }), true);
  assert.deepEqual([registry.find(orgA, 'x'), registry.live], [held, 2]);
});

test('a held run stays unchanged when the store answers again', () => {
  const registry = filled(2, 1);
  const held = registry.find(orgA, '0')!;
  assert.equal(registry.hold(run('0', { spent: nanoDollars(9n) }), true), held);
  assert.deepEqual([held.run.spent, registry.live], [0n, 1]);
});

test('forgetting removes only a live run: not an ended one, nor a later one with the same id', () => {
  const registry = filled(3, 2);
  const [gone, ended] = ['0', '1'].map((id) => registry.find(orgA, id)!) as [HeldRun, HeldRun];
  registry.end(ended, 'closed', 0);
  for (const each of [gone, gone, ended]) registry.forget(each);
  assert.deepEqual([registry.live, registry.held, registry.find(orgA, '1')], [0, 1, ended]);
  const after = registry.hold(run('0'), true);
  registry.forget(gone);
  assert.deepEqual([registry.find(orgA, '0'), registry.live], [after, 1]);
});

test('when an organization goes, so do all its runs, live and ended, and no other; calls under way and questions still finish', () => {
  const registry = filled(9, 4);
  const gone: string[] = [];
  registry.onForgotten(({ run: { id } }) => gone.push(id));
  registry.hold(run('other', { organization: orgB }), true);
  registry.find(orgA, '0')!.callsUnderWay = 1;
  registry.end(registry.find(orgA, '1')!, 'closed', 0);
  registry.keepRoom(orgA);
  registry.forgetAll(orgA);
  registry.forgetAll(orgA);
  assert.deepEqual([registry.live, registry.held, registry.find(orgA, '0'), gone], [1, 1, undefined, ['0', '1', '2', '3']]);
  registry.freeRoom(orgA);
  for (let id = 0; id < 3; id += 1) registry.hold(run(`new ${id}`), true);
  assert.deepEqual([registry.live, registry.hasRoom(orgA)], [4, true]);
});

test('expired are live runs whose time has passed, at the very millisecond', () => {
  const registry = new RunRegistry(9);
  for (const [id, expiresAtMs] of [['soon', 10], ['later', 11], ['never', null]] as const) registry.hold(run(id, { expiresAtMs }), true);
  const ended = registry.hold(run('ended', { expiresAtMs: 1, organization: orgB }), true);
  registry.end(ended, 'expired', 2);
  assert.deepEqual([registry.expiredAt(9), registry.expiredAt(10).map((held) => held.run.id)], [[], ['soon']]);
  assert.deepEqual(registry.expiredAt(11).map((held) => held.run.id), ['soon', 'later']);
});

type Step =
  | { readonly is: 'hold'; readonly organization: OrganizationId; readonly id: number; readonly ended: boolean }
  | { readonly is: (typeof changes)[number]; readonly organization: OrganizationId; readonly id: number };
const changes = ['end', 'forget', 'call', 'over', 'keep', 'free', 'lost', 'written'] as const;

function play(registry: RunRegistry, model: ListedRuns, step: Step): void {
  const { is, organization } = step;
  const id = `${step.id}`;
  const [held, listed] = [registry.find(organization, id), model.find(organization, id)];
  if (is === 'hold') {
    const ended = { state: 'closed' as EndedState, endedAtMs: 0 };
    registry.hold(run(id, { organization, ...step.ended ? ended : {} }), true);
    model.hold(organization, id, !step.ended);
  } else if (is === 'keep') {
    registry.keepRoom(organization);
    model.keepRoom(organization);
  } else if (is === 'free') {
    if (model.awaited.includes(organization)) registry.freeRoom(organization);
    model.freeRoom(organization);
  } else if (held !== undefined && listed !== undefined) {
    if (is === 'end') registry.end(held, 'closed', 0);
    if (is === 'end') model.end(listed);
    if (is === 'forget') registry.forget(held);
    if (is === 'forget') model.forget(listed);
    if (is === 'call') held.callsUnderWay = listed.calls += 1;
    if (is === 'over' && listed.calls > 0) held.callsUnderWay = listed.calls -= 1;
    if (is === 'lost' || is === 'written') held.endUnwritten = listed.unwritten = is === 'lost';
  }
}

test('under random orders of holding, ending, forgetting and calling, it holds what a searched list holds', () => {
  const place = { organization: fc.constantFrom(orgA, orgB), id: fc.nat(7) };
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ is: fc.constant('hold' as const), ended: fc.boolean(), ...place }) },
    { weight: 6, arbitrary: fc.record({ is: fc.constantFrom(...changes), ...place }) },
  );
  fc.assert(fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 80, size: 'max' }), (capacity, steps) => {
    const [registry, model] = [new RunRegistry(capacity), new ListedRuns(capacity)];
    for (const each of steps) {
      play(registry, model, each);
      assert.deepEqual([registry.live, registry.held], [model.live().length, model.runs.length]);
      for (const organization of [orgA, orgB]) {
        assert.equal(registry.hasRoom(organization), model.hasRoom(organization));
        for (let id = 0; id < 8; id += 1) {
          assert.equal(registry.find(organization, `${id}`)?.run.state === 'live', model.find(organization, `${id}`)?.live === true);
          assert.equal(registry.find(organization, `${id}`) === undefined, model.find(organization, `${id}`) === undefined);
        }
      }
    }
  }), { numRuns: draws(300) });
});
