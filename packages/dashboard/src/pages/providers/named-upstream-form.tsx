/** Declares an upstream by a name. If there is one of that name, it is shown before it is replaced. */
import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { ask, type Shown } from '../../api/client.ts';
import { SecretInput } from '../../parts/secret-input.tsx';
import { useSharedForm } from '../../parts/shared-form.tsx';
import { authNames, credentialWords, dialectNames, keptCredential } from '../../shown/upstream-words.ts';

type NamedUpstream = Shown<'NamedUpstream'>;
type Values = {
  readonly name: string;
  readonly url: string;
  readonly auth: NamedUpstream['auth'];
  readonly dialect: NamedUpstream['dialect'];
  readonly provider: string;
  readonly credential: string;
};

/** A declaration as the form has it; version null: there is none of this name. */
type ToDeclare = Pick<NamedUpstream, 'name' | 'url' | 'auth' | 'dialect' | 'provider' | 'hasCredential'> & { readonly version: number | null };
const undeclared: ToDeclare = { name: '', url: '', auth: 'bearer', dialect: null, provider: null, hasCredential: false, version: null };

/** What is read again after a change. */
export const upstreamChanges = ['/platform/v1/upstreams'];

const chosen = (names: Readonly<Record<string, string>>) => Object.entries(names).map(([value, label]) => ({ value, label }));

export function NamedUpstreamForm({ onClose }: { readonly onClose: () => void }) {
  const { form, saving, submit, conflict } = useSharedForm<ToDeclare, Values>({
    of: undeclared,
    entered: ({ name, url, auth, dialect, provider }) => ({ name, url, auth, dialect, provider: provider ?? '', credential: '' }),
    words: { name: 'Name', url: 'Address', auth: 'Auth', dialect: 'Dialect', provider: 'Prices of', credential: 'Credential' },
    send: ({ name, url, auth, dialect, provider, credential }, { version, hasCredential }) =>
      ask.PUT('/platform/v1/upstreams/{name}', {
        params: { path: { name: name.trim() } },
        body: {
          url: url.trim(),
          auth,
          dialect,
          provider: provider.trim() === '' ? null : provider.trim(),
          credential: auth === 'none' ? '' : credential.trim() || keptCredential(hasCredential),
          was: version === null ? null : { version },
        },
      }),
    read: async ({ name }) => {
      const { data } = await ask.GET('/platform/v1/upstreams', { params: { query: { limit: 32 } } });
      return data!.data.find((each) => each.name === name.trim()) ?? undeclared;
    },
    done: 'The upstream is declared. It takes calls once it is enabled.',
    changes: upstreamChanges,
    after: onClose,
  });
  const { auth } = form.values;
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="Lower-case letters, digits and hyphens."
          required
          maxLength={32}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Address"
          placeholder="https://generativelanguage.googleapis.com"
          required
          maxLength={2_048}
          {...form.getInputProps('url')}
        />
        <Select label="Auth" allowDeselect={false} data={chosen(authNames)} {...form.getInputProps('auth')} />
        {auth === 'none' ? null : (
          <SecretInput
            label="Credential"
            description={credentialWords[auth]}
            autoComplete="off"
            maxLength={8_192}
            {...form.getInputProps('credential')}
          />
        )}
        <Select label="Dialect" placeholder="by its paths" clearable data={chosen(dialectNames)} {...form.getInputProps('dialect')} />
        <TextInput
          label="Prices of"
          description="A provider of the price list, by its id there. Empty: found by the host."
          maxLength={64}
          {...form.getInputProps('provider')}
        />
        {conflict}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={saving}>
            Declare
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
