/**
 * The gateway nodes of this deployment as operators see them: whether they are ready, and what waits in their journals. Only for owners of the first
 * organization of the store: other organizations must not see the machine. See docs/decisions/0092.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Role } from '@metergate/core/account/role.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { KeptNodeReport, NodeReport } from '@metergate/store/operation/node-reports.ts';
import type { UseCaseContext } from './context.ts';
import { refuseInput, type AdministrationRefusal } from './refusal.ts';

/** `silent`: no report for a while, and it did not report that it was stopping. */
type NodeState = NodeReport['state'] | 'silent';

interface ShownNode extends Omit<NodeReport, 'node' | 'state' | 'startedAtMs' | 'earlierCalls' | 'journal' | 'namesLost'> {
  readonly id: string;
  readonly state: NodeState;
  readonly startedAt: string;
  readonly heardAt: string;
  readonly journal: Omit<NodeReport['journal'], 'setAsideOf' | 'lagMsOfCells'>;
}

/** A node reports every five seconds. */
const silentAfterMs = 20_000;

/** Whether the caller runs the deployment. */
export async function isOperator({ store }: UseCaseContext, { organization, role }: Asker): Promise<boolean> {
  return role === 'owner' && await store.organizations.home() === organization;
}

export interface Asker {
  readonly organization: OrganizationId;
  readonly role: Role;
}

/** The one that reported last comes first. Refuses `forbidden`. */
export async function listNodes(context: UseCaseContext, asker: Asker): Promise<ShownNode[] | AdministrationRefusal> {
  if (!await isOperator(context, asker)) {
    return refuseInput('forbidden', 'Only owners of the first organization of this deployment, who run it, can see its nodes.');
  }
  return (await context.store.nodeReports.list()).map((kept) => shownNode(kept, context.nowMs));
}

/** What only the closing of months and `doctor` need is left out: whose calls and records a node holds, and of which cells. */
function shownNode({ report: kept, atMs }: KeptNodeReport, nowMs: number): ShownNode {
  const { node, state, startedAtMs, earlierCalls: _calls, namesLost: _lost, journal: whole, ...report } = kept;
  const { setAsideOf: _owners, lagMsOfCells: _cells, ...journal } = whole;
  return {
    id: node, ...report, journal, state: state !== 'stopped' && nowMs - atMs > silentAfterMs ? 'silent' : state,
    startedAt: isoText(startedAtMs), heardAt: isoText(atMs),
  };
}
