/**
 * What passes between simulated nodes and the simulated store, and what both are held against.
 */
import type { CapId, OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { LeaseSubject } from '@metergate/core/spend/lease/subject.ts';
import type { EndedState } from '@metergate/core/run/run.ts';
import type { BindingCap } from '@metergate/core/spend/cap-decision.ts';
import { windowAt } from '@metergate/core/spend/window.ts';

export const organization = 'org_simulated' as OrganizationId;
export const keys = ['key_one', 'key_two'] as ServiceKeyId[];

/** A call, from its opening on. */
export interface SimulatedCall {
  readonly id: string;
  readonly node: string;
  readonly key: ServiceKeyId;
  readonly run: string | null;
  readonly startedAtMs: number;
  /** What it will cost, if its node lives to see the answer; null: nobody ever knows. */
  readonly cost: NanoDollars | null;
}

/** One row of a node's journal. */
export type JournalRow =
  | { readonly seq: number; readonly kind: 'opened'; readonly call: SimulatedCall }
  | { readonly seq: number; readonly kind: 'closed'; readonly call: SimulatedCall; readonly cost: NanoDollars | null }
  | { readonly seq: number; readonly kind: 'ended'; readonly run: string; readonly state: EndedState; readonly atMs: number }
  | { readonly seq: number; readonly kind: 'tightened'; readonly run: string; readonly budget: NanoDollars };

export const caps: readonly BindingCap[] = [
  { id: 'cap_day' as CapId, scope: 'organization', subject: null, window: 'day', limit: nanoDollars(40_000n), mode: 'refuse' },
  { id: 'cap_key' as CapId, scope: 'key', subject: keys[0]!, window: 'lifetime', limit: nanoDollars(30_000n), mode: 'pause' },
];

/** The subject of a cap in the window of a moment. */
export function capSubject(cap: Pick<BindingCap, 'scope' | 'subject' | 'window'>, atMs: number): LeaseSubject {
  return { organization, scope: cap.scope, subject: cap.subject ?? '', window: cap.window, ...windowAt(cap.window, atMs) };
}

export function runSubject(run: string): LeaseSubject {
  return { organization, scope: 'run', subject: run, window: 'run', startMs: 0, endMs: null };
}

/** The capped subjects that a call counts for. */
export function subjectsOf(call: SimulatedCall): LeaseSubject[] {
  const subjects = caps.filter((cap) => cap.subject === null || cap.subject === call.key).map((cap) => capSubject(cap, call.startedAtMs));
  if (call.run !== null) subjects.push(runSubject(call.run));
  return subjects;
}
