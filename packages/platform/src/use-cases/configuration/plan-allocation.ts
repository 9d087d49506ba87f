/** The rules of allocation: whether a configuration replaces or removes them. They are one value: nothing of the old ones stays. */
import type { OrganizationId } from '@metergate/core/id.ts';
import { checkedRules, setAllocationRules, type ShownRules } from '../allocation/allocation-rules.ts';
import { allocationText, type AllocationDocument } from '../allocation/rules-fields.ts';
import { isRefusal } from '../refusal.ts';
import { doneOr, nothingPlanned, type SectionPlan } from './planned-change.ts';

interface PlanningAllocation {
  readonly organization: OrganizationId;
  readonly current: ShownRules;
  /** Undefined: the document says nothing of it; null: none. */
  readonly wanted: AllocationDocument | null | undefined;
}

/** The one step that replaces the rules; none if they are the same. Pure. */
export function planAllocation({ organization, current, wanted }: PlanningAllocation): SectionPlan {
  if (wanted === undefined) return nothingPlanned;
  const [from, to] = [current.allocation, wanted].map((rules) => (rules === null ? null : allocationText(rules)));
  if (from === to) return nothingPlanned;
  const checked = wanted === null ? null : checkedRules(wanted);
  if (isRefusal(checked)) return { steps: [], left: 0, problems: [{ path: ['allocation'], sentence: checked.refused.message }] };
  const action = wanted === null ? 'remove' : current.allocation === null ? 'create' : 'change';
  const count = (of: AllocationDocument | null): number | null => of?.rules.length ?? null;
  return {
    left: 0, problems: [],
    steps: [{
      change: { action, kind: 'allocation', name: 'rules', fields: [{ field: 'rules', from: count(current.allocation), to: count(wanted) }] },
      makesSecret: false,
      run: async (context) => doneOr(await setAllocationRules(context, organization, wanted)),
    }],
  };
}
