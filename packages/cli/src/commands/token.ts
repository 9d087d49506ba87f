/** `metergate token`: management tokens for automation. A token is shown once, when it is made. Rule 16; rules: Interfaces. */
import { roles, type Role } from '@metergate/core/account/role.ts';
import { createToken, listTokens, revokeToken, type ShownToken } from '@metergate/platform/use-cases/management-tokens.ts';
import { command, commandGroup } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { showing } from '../command-line/on-store.ts';
import { fields, listed, secondsText } from '../command-line/table.ts';
import { givenDurationMs } from '../command-line/value-forms.ts';

const create = command({
  description: 'Create a management token and show it once',
  args: {
    org: orgArgument,
    role: { type: 'enum', required: true, options: [...roles] as Role[], valueHint: 'ROLE', description: `One of ${roles.join(', ')}` },
    name: { type: 'string', valueHint: 'NAME', description: 'What it is for' },
    expires: { type: 'string', valueHint: 'DURATION', description: 'How long it is valid: 30s, 15m, 24h, 7d' },
  },
  run: ({ org, role, name, expires }, tools) => {
    const lifetimeMs = expires === undefined ? null : givenDurationMs('expires', expires);
    const wanted = { organization: org, role, name: name ?? null, lifetimeMs, maker: null };
    return showing(tools, (context) => createToken(context, wanted), ({ id, token }) =>
      ({ json: { id, token }, text: `${fields([['id', id], ['token', token]])}\nSave the token now: it is not shown again.` }));
  },
});

const list = command({
  description: "List an organization's management tokens, without the tokens themselves",
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => listTokens(context, org),
    (shown, context) => listed(shown, 'This organization has no management tokens.', {
      ID: ({ id }) => id, PREFIX: ({ prefix }) => prefix, NAME: ({ name }) => name, ROLE: ({ role }) => role,
      STATE: (each) => stateOf(each, context.nowMs), CREATED: ({ createdAt }) => secondsText(createdAt),
      EXPIRES: ({ expiresAt }) => secondsText(expiresAt),
    }, { shrinks: 'NAME', drops: ['CREATED', 'PREFIX', 'EXPIRES'] })),
});

const revoke = command({
  description: 'Revoke a management token for good',
  takesAway: true,
  args: {
    id: { type: 'positional', required: true, valueHint: 'ID', description: 'Its id, as token list shows it' },
    org: { ...orgArgument, required: false, description: 'Only a token of this organization' },
  },
  run: ({ id, org }, tools) => showing(tools, (context) => revokeToken(context, { organization: org ?? null, id, by: null }),
    (revoked) => ({ json: revoked, text: fields([['id', revoked.id], ['prefix', revoked.prefix], ['revoked', secondsText(revoked.revokedAt)]]) })),
});

function stateOf({ expiresAt, revokedAt }: ShownToken, nowMs: number): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? 'expired' : 'live';
}

export const token = commandGroup('Make, list and revoke management tokens', { create, list, revoke });
