/** Declares an upstream by a name, in place of an earlier one of that name. */
import { Button, Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask, type Shown } from '../../api/client.ts';
import { useDoing } from '../../parts/doing.ts';
import { authNames, credentialWords, dialectNames } from '../../shown/upstream-words.ts';

type NamedUpstream = Shown<'NamedUpstream'>;
interface Values {
  readonly name: string;
  readonly url: string;
  readonly auth: NamedUpstream['auth'];
  readonly dialect: NamedUpstream['dialect'];
  readonly provider: string;
  readonly credential: string;
}

/** What is read again after a change. */
export const upstreamChanges = ['/platform/v1/upstreams'];

const chosen = (names: Readonly<Record<string, string>>) => Object.entries(names).map(([value, label]) => ({ value, label }));

export function NamedUpstreamForm({ onClose }: { readonly onClose: () => void }) {
  const form = useForm<Values>({
    initialValues: { name: '', url: '', auth: 'bearer', dialect: null, provider: '', credential: '' },
  });
  const declaring = useDoing({
    run: ({ name, url, auth, dialect, provider, credential }: Values) =>
      ask.PUT('/platform/v1/upstreams/{name}', {
        params: { path: { name: name.trim() } },
        body: {
          url: url.trim(),
          auth,
          dialect,
          provider: provider.trim() === '' ? null : provider.trim(),
          credential: auth === 'none' ? '' : credential.trim(),
        },
      }),
    done: 'The upstream is declared. It takes calls once it is enabled.',
    changes: upstreamChanges,
    after: onClose,
  });
  const { auth } = form.values;
  return (
    <form onSubmit={form.onSubmit((values) => declaring.mutate(values))}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="Lower-case letters, digits and hyphens. A declaration of the same name is replaced."
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
          <PasswordInput
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
          description="A provider of the price list, by its id there. Empty: the host tells."
          maxLength={64}
          {...form.getInputProps('provider')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={declaring.isPending}>
            Declare
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
