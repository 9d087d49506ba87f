/** `metergate key`: creates, lists, changes and revokes service keys. A key is shown once, when it is created. Rules: Interfaces. */
import {
  createServiceKey, listServiceKeys, revokeServiceKey, rotateServiceKey, setServiceKey, type ServiceKeySettingsInput, type ShownServiceKey,
} from '@metergate/platform/use-cases/service-keys.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, commandGroup, type CommandResult, type CommandTools } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { onStore, showing } from '../command-line/on-store.ts';
import { fields, listed, secondsText, shortDecimal } from '../command-line/table.ts';
import { dollarsOrNone, givenDurationMs, modelPatterns } from '../command-line/value-forms.ts';

const idArgument = { type: 'positional', required: true, valueHint: 'ID', description: 'Its id, as key list shows it' } as const;

const create = command({
  description: 'Create a service key and show it once',
  args: {
    org: orgArgument,
    name: { type: 'string', valueHint: 'NAME', description: 'What it is for' },
    project: { type: 'string', valueHint: 'PROJECT', description: 'Project of calls that name none' },
    'max-run-budget': { type: 'string', valueHint: 'USD',
      description: "The most that one run of this key may declare; overrides the organization's figure" },
    expires: { type: 'string', valueHint: 'DURATION', description: 'How long it is valid: 30s, 15m, 24h, 7d' },
    models: { type: 'string', valueHint: 'LIST', description: 'Models that may be asked for with it, as in gpt-5*,claude-*' },
    for: { type: 'string', valueHint: 'EMAIL', description: 'The member whose key it is; it ends when they leave' },
  },
  run: (values, tools) => {
    const { org, name = null, project = null, expires } = values;
    const budget = values['max-run-budget'];
    const maxRunBudget = budget === undefined ? null : dollarsOrNone('max-run-budget', budget);
    const lifetimeMs = expires === undefined ? null : givenDurationMs('expires', expires);
    const models = values.models === undefined ? null : modelPatterns(values.models);
    return onStore(tools, async (context) => {
      const wanted = { organization: org, name, project, lifetimeMs, maxRunBudget, models, person: values.for ?? null };
      const made = await createServiceKey(context, wanted);
      if (isRefusal(made)) return made;
      const { id, key, prefix, maxRunBudget: most } = made;
      const budgetOf = most === undefined ? [] : [['max run budget', `${shortDecimal(most)} USD`] as const];
      const shown = fields([['id', id], ['key', key], ['prefix', prefix], ...budgetOf]);
      return { json: made, text: `${shown}\nSave the key now: it is not shown again.` };
    });
  },
});

/** A name and a project are shortened first; what is left out on a narrow terminal is in `--json`. */
const list = command({
  description: "List an organization's service keys, without the keys themselves",
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => listServiceKeys(context, org),
    (shown, context) => listed(shown, 'This organization has no service keys.', {
      ID: ({ id }) => id, PREFIX: ({ prefix }) => prefix, NAME: ({ name }) => name, PROJECT: ({ project }) => project, OF: ({ person }) => person,
      STATE: (each) => stateOf(each, context.nowMs),
      'RUN USD': ({ maxRunBudget }) => (maxRunBudget === null ? null : shortDecimal(maxRunBudget)),
      CREATED: ({ createdAt }) => secondsText(createdAt), 'LAST USED': ({ lastUsedAt }) => secondsText(lastUsedAt),
      EXPIRES: ({ expiresAt }) => secondsText(expiresAt),
    }, { shrinks: ['NAME', 'PROJECT', 'OF'], drops: ['CREATED', 'LAST USED', 'RUN USD', 'PREFIX', 'EXPIRES', 'PROJECT', 'OF'] })),
});

const revoke = command({
  description: 'Revoke a service key for good',
  takesAway: true,
  args: { id: idArgument },
  run: ({ id }, tools) => showing(tools, (context) => revokeServiceKey(context, id), (revoked) => {
    const text = fields([['id', revoked.id], ['prefix', revoked.prefix], ['revoked', secondsText(revoked.revokedAt)]]);
    return { json: revoked, text: revoked.alreadyRevoked ? `${text}\nThis key was already revoked; nothing was changed.` : text };
  }),
});

const rename = command({
  description: 'Give a service key another name',
  args: { id: idArgument, name: { type: 'string', required: true, valueHint: 'NAME', description: 'What it is for; none removes the name' } },
  run: ({ id, name }, tools) => changed(tools, id, { name: name === 'none' ? null : name }),
});

const set = command({
  description: 'Change which models may be asked for with a service key',
  args: {
    id: idArgument, models: { type: 'string', required: true, valueHint: 'LIST', description: 'As in gpt-5*,claude-*; none: all that are allowed' },
  },
  run: ({ id, models }, tools) => changed(tools, id, { models: modelPatterns(models) }),
});

const move = command({
  description: 'Change the project of a service key, for calls that name none',
  args: { id: idArgument, project: { type: 'string', required: true, valueHint: 'PROJECT', description: 'The project; none: for no project' } },
  run: ({ id, project }, tools) => changed(tools, id, { project: project === 'none' ? null : project }),
});

const disable = command({
  description: 'Disable a service key until it is enabled again',
  takesAway: true,
  args: { id: idArgument },
  run: ({ id }, tools) => changed(tools, id, { disabled: true }),
});

const enable = command({
  description: 'Enable a disabled service key',
  args: { id: idArgument },
  run: ({ id }, tools) => changed(tools, id, { disabled: false }),
});

const rotate = command({
  description: 'Replace the secret of a service key and show it once, keeping its id, caps and spend',
  takesAway: true,
  args: {
    id: idArgument,
    grace: { type: 'string', valueHint: 'DURATION', description: 'How long the old secret still works: 0s (the default), 15m, 24h, 7d' },
  },
  run: ({ id, grace }, tools) => {
    const graceMs = grace === undefined || /^0[smhd]$/.test(grace) ? 0 : givenDurationMs('grace', grace);
    return showing(tools, (context) => rotateServiceKey(context, { id, within: null }, graceMs), (rotated) => {
      const { key, prefix, formerUntil } = rotated;
      const shown = fields([['id', id], ['key', key], ['prefix', prefix], ['former until', secondsText(formerUntil)]]);
      return { json: rotated, text: `${shown}\nSave the key now: it is not shown again.` };
    });
  },
});

function changed(tools: CommandTools, id: string, settings: ServiceKeySettingsInput): Promise<CommandResult> {
  return showing(tools, (context) => setServiceKey(context, { id, within: null }, settings), (set, context) => {
    const { prefix, name, project, models } = set;
    const listed = models === null ? [] : [['models', models.join(',')] as const];
    const state = stateOf(set, context.nowMs);
    const text = fields([['id', id], ['prefix', prefix], ['name', name], ['project', project], ...listed, ['state', state]]);
    return { json: set, text };
  });
}

function stateOf({ expiresAt, revokedAt, disabledAt }: ShownServiceKey, nowMs: number): string {
  if (revokedAt !== null) return 'revoked';
  if (disabledAt !== null) return 'disabled';
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? 'expired' : 'live';
}

export const key = commandGroup('Make, list, change, rotate and revoke service keys', {
  create, list, set, rename, move, disable, enable, rotate, revoke,
});
