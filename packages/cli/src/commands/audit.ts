/** `metergate audit list`: who changed what, when. The platform's HTTP shows the same under `/platform/v1/audit`. Rules: Roles. */
import { auditLimit, listAudit, type ShownAuditEvent } from '@metergate/platform/use-cases/audit.ts';
import { command, commandGroup } from '../command-line/command.ts';
import { showing } from '../command-line/on-store.ts';
import { secondsText, table } from '../command-line/table.ts';
import { timeMs, givenWholeNumber } from '../command-line/value-forms.ts';

const list = command({
  description: 'List changes, newest first',
  args: {
    org: { type: 'string', valueHint: 'ORG', description: 'Organization, by id or unique name; without it, changes of the whole product' },
    subject: { type: 'string', valueHint: 'ID', description: 'Only changes of this subject: the id of a key, a cap or a member' },
    since: { type: 'string', valueHint: 'T', description: 'Changes at or after this time' },
    limit: { type: 'string', valueHint: 'N', description: `At most this many: ${auditLimit.default} unless given, up to ${auditLimit.max}` },
  },
  run: ({ org, subject, since, limit }, tools) => {
    const query = {
      organization: org ?? null,
      ...(subject === undefined ? {} : { subject }),
      ...(since === undefined ? {} : { sinceMs: timeMs('since', since, tools.nowMs()) }),
      ...(limit === undefined ? {} : { limit: givenWholeNumber('limit', limit, { min: 1, max: auditLimit.max }) }),
    };
    return showing(tools, (context) => listAudit(context, query),
      (events) => ({ json: events, text: (width) => auditText(events, width ?? 120) }));
  },
});

function auditText(events: readonly ShownAuditEvent[], width: number): string {
  if (events.length === 0) return 'There are no changes.';
  const rows = events.map(({ at, actor, action, subject, detail }) => [
    secondsText(at), [actor.kind, actor.name ?? actor.id].filter((word) => word !== null).join(' '), action, subject,
    Object.entries(detail).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' '),
  ]);
  return table(['WHEN', 'WHO', 'WHAT', 'SUBJECT', 'WITH'], rows, { widthMax: width, shrinks: ['WITH', 'SUBJECT', 'WHO'], drops: ['WITH'] });
}

export const audit = commandGroup('List who changed what', { list });
