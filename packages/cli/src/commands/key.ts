/** `metergate key`: service keys, made, listed and revoked. A key is shown once, when it is made. Design 5. */
import { createServiceKey, listServiceKeys, revokeServiceKey, type ShownServiceKey } from '@metergate/platform/use-cases/service-keys.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, commandGroup } from '../command-line/command.ts';
import { onStore } from '../command-line/on-store.ts';
import { fields, secondsText, shortDecimal, table } from '../command-line/table.ts';
import { dollarsOrNone, durationMs } from '../command-line/value-forms.ts';

const orgArgument = { type: 'string', required: true, valueHint: 'ORG', description: 'Organization, by id or unique name' } as const;

const create = command({
  description: 'Make a service key, shown this once',
  args: {
    org: orgArgument,
    name: { type: 'string', valueHint: 'NAME', description: 'What it is for' },
    project: { type: 'string', valueHint: 'PROJECT', description: 'Project of its calls that name none' },
    'max-run-budget': { type: 'string', valueHint: 'USD', description: "The most one run of it may declare, before the organization's figure" },
    expires: { type: 'string', valueHint: 'DURATION', description: 'Its life from now on: 30s, 15m, 24h, 7d' },
  },
  run: (values, tools) => {
    const { org, name = null, project = null, expires } = values;
    const budget = values['max-run-budget'];
    const maxRunBudget = budget === undefined ? null : dollarsOrNone('max-run-budget', budget);
    const lifetimeMs = expires === undefined ? null : durationMs('expires', expires);
    return onStore(tools, async (context) => {
      const made = await createServiceKey(context, { organization: org, name, project, lifetimeMs, maxRunBudget });
      if (isRefusal(made)) return made;
      const { id, key, prefix, maxRunBudget: most } = made;
      const budgetOf = most === undefined ? [] : [['max run budget', `${shortDecimal(most)} USD`] as const];
      const shown = fields([['id', id], ['key', key], ['prefix', prefix], ...budgetOf]);
      return { json: made, text: `${shown}\nKeep the key now: it is not shown again.` };
    });
  },
});

const list = command({
  description: "List an organization's service keys, without the keys themselves",
  args: { org: orgArgument },
  run: ({ org }, tools) => onStore(tools, async (context) => {
    const shown = await listServiceKeys(context, org);
    if (isRefusal(shown)) return shown;
    const rows = shown.map((each) =>
      [each.id, each.prefix, each.name, each.project, stateOf(each, context.nowMs),
        each.maxRunBudget === null ? null : shortDecimal(each.maxRunBudget), secondsText(each.createdAt), secondsText(each.expiresAt)]);
    const heads = ['ID', 'PREFIX', 'NAME', 'PROJECT', 'STATE', 'RUN USD', 'CREATED', 'EXPIRES'];
    return { json: shown, text: rows.length === 0 ? 'This organization has no service keys.' : table(heads, rows) };
  }),
});

const revoke = command({
  description: 'Revoke a service key for good',
  args: { id: { type: 'positional', required: true, valueHint: 'ID', description: 'Its id, as key list shows it' } },
  run: ({ id }, tools) => onStore(tools, async (context) => {
    const revoked = await revokeServiceKey(context, id);
    if (isRefusal(revoked)) return revoked;
    const text = fields([['id', revoked.id], ['prefix', revoked.prefix], ['revoked', revoked.revokedAt]]);
    return { json: revoked, text: revoked.alreadyRevoked ? `${text}\nThis key was revoked already; nothing was changed.` : text };
  }),
});

function stateOf({ expiresAt, revokedAt }: ShownServiceKey, nowMs: number): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? 'expired' : 'live';
}

export const key = commandGroup('Make, list and revoke service keys', { create, list, revoke });
