/** `metergate user`: people who sign in, made with a password or invited by a one-time link. Rule 16; rules: Interfaces. */
import { roles, type Role } from '@metergate/core/account/role.ts';
import { hostInUrl } from '@metergate/platform/network/host-in-url.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import type { UseCaseContext } from '@metergate/platform/use-cases/context.ts';
import { createUser, inviteUser, listUsers, makePasswordLink } from '@metergate/platform/use-cases/users.ts';
import type { Config } from '../config/config.ts';
import { command, CommandFault, commandGroup } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { onStore } from '../command-line/on-store.ts';
import { readSecret } from '../command-line/secret-input.ts';
import { fields, listed, plain, secondsText } from '../command-line/table.ts';

const roleArgument = {
  type: 'enum', required: true, options: [...roles] as Role[], valueHint: 'ROLE', description: `One of ${roles.join(', ')}`,
} as const;

const create = command({
  description: 'Create a user with a password read from standard input',
  args: {
    email: { type: 'string', required: true, valueHint: 'EMAIL', description: 'What they sign in with' },
    org: orgArgument,
    role: roleArgument,
  },
  run: ({ email, org, role }, tools) => onStore(tools, async (context) => {
    const password = await readSecret(tools, 'Password');
    if (password === '') throw new CommandFault('password_missing', 'The password is empty. Give it on standard input.');
    const made = await createUser(context, { organization: org, email, password, role });
    if (isRefusal(made)) return made;
    return { json: made, text: fields([['id', made.id], ['email', made.email], ['organization', made.organization], ['role', made.role]]) };
  }),
});

const invite = command({
  description: 'Create a one-time link to invite a member, and show it once',
  args: {
    org: orgArgument,
    role: roleArgument,
    email: { type: 'string', valueHint: 'EMAIL', description: 'Email of the person; without it, whoever has the link gives their own' },
  },
  run: ({ org, role, email }, tools) => onStore(tools, async (context, config) => {
    const publicUrl = await publicUrlOf(context, config);
    const made = await inviteUser(context, { organization: org, email: email ?? null, role, by: null, publicUrl });
    if (isRefusal(made)) return made;
    const text = fields([
      ['id', made.id], ['link', made.link], ['for', made.email ?? 'whoever has the link'], ['role', made.role],
      ['until', secondsText(made.expiresAt)],
    ]);
    return { json: made, text: `${text}\nSave the link now: it is not shown again, and works once.` };
  }),
});

const list = command({
  description: 'List members and open invitations',
  args: { org: orgArgument },
  run: ({ org }, tools) => onStore(tools, async (context) => {
    const shown = await listUsers(context, org);
    const none = `Nobody belongs to this organization. Invite someone with: metergate user invite --org ${plain(org)} --role owner`;
    return isRefusal(shown) ? shown : listed(shown, none, {
      ID: ({ id }) => id, EMAIL: ({ email }) => email ?? 'whoever has the link', ROLE: ({ role }) => role, STATE: ({ state }) => state,
      SINCE: ({ createdAt }) => secondsText(createdAt), UNTIL: ({ expiresAt }) => secondsText(expiresAt),
    }, { shrinks: 'EMAIL', drops: ['SINCE', 'UNTIL'] });
  }),
});

const passwordLink = command({
  description: 'Create a one-time link that sets the password of a user, and show it once',
  args: { email: { type: 'string', required: true, valueHint: 'EMAIL', description: 'What they sign in with' } },
  run: ({ email }, tools) => onStore(tools, async (context, config) => {
    const made = await makePasswordLink(context, { email, publicUrl: await publicUrlOf(context, config) });
    if (isRefusal(made)) return made;
    return { json: made, text: `${made.url}\nSave the link now: it is not shown again, works once, and for 24 hours.` };
  }),
});

/** Where people reach the platform: as set, as it last ran, or as it would run. */
async function publicUrlOf({ store }: UseCaseContext, { publicPlatformUrl, platform }: Config): Promise<string> {
  return publicPlatformUrl ?? await store.platformAddress.last() ?? `http://${hostInUrl(platform.host)}:${platform.port}`;
}

export const user = commandGroup('Make, invite and list users, and reset their passwords', {
  create, invite, list, 'password-link': passwordLink,
});
