/** Inviting a person: their email and their role, up to one's own. */
import { Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask } from '../../api/client.ts';
import { useSession, type SessionRole } from '../../app/session.ts';
import { useDoing } from '../../parts/doing.ts';
import { Submit } from '../../parts/submit.tsx';

const roles: readonly SessionRole[] = ['viewer', 'member', 'admin', 'owner'];
const about: Readonly<Record<SessionRole, string>> = {
  viewer: 'Reads figures, calls, caps and runs.',
  member: 'Also makes service keys and closes runs.',
  admin: 'Also caps, providers, grants, tokens, members and the audit.',
  owner: 'Everything, erasure included.',
};

export function rolesUpTo(role: SessionRole): SessionRole[] {
  return roles.slice(0, roles.indexOf(role) + 1);
}

export function InvitationForm({ onMade }: { readonly onMade: (link: string) => void }) {
  const { role: own } = useSession();
  const form = useForm({ initialValues: { email: '', role: 'member' as SessionRole } });
  const inviting = useDoing({
    run: async (body: typeof form.values) =>
      (await ask.POST('/platform/v1/invitations', { body: { ...body, email: body.email.trim() } })).data!,
    changes: ['/platform/v1/invitations'],
    after: ({ link }) => onMade(link),
  });
  return (
    <form onSubmit={form.onSubmit((values) => inviting.mutate(values))}>
      <Stack>
        <TextInput label="Email" type="email" required maxLength={254} data-autofocus {...form.getInputProps('email')} />
        <Select
          label="Role"
          description={about[form.values.role]}
          data={rolesUpTo(own)}
          allowDeselect={false}
          {...form.getInputProps('role')}
        />
        <Submit busy={inviting.isPending}>Make the link</Submit>
      </Stack>
    </form>
  );
}
