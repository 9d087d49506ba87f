/** Setting a cap: its scope, window, limit and mode. Before it is set, the form shows what it would have refused. */
import { Autocomplete, Button, Group, NumberInput, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api, ask, type Shown } from '../../api/client.ts';
import { wholeListQuery } from '../../api/whole-list.ts';
import { useDoing } from '../../parts/doing.ts';
import { choicesOf } from '../../shown/choices.ts';
import { useKeyNames } from '../../shown/key-names.ts';
import { dollarsToSend, plainDecimal } from '../../shown/amounts.ts';
import { WouldRefuse } from './would-refuse.tsx';

type Cap = Shown<'Cap'>;
type Scope = Cap['scope'];
type Window = Cap['window'];

const scopes = {
  organization: 'The organization',
  key: 'One service key',
  project: 'One project',
  person: 'One person, all their keys',
  label: 'One label',
} satisfies Record<Scope, string>;
const windows = {
  day: 'A day',
  week: 'A week, from Monday',
  month: 'A month',
  year: 'A year',
  lifetime: 'Its lifetime',
} satisfies Record<Window, string>;

export function CapForm({ cap, onDone }: { readonly cap: Cap | undefined; readonly onDone: () => void }) {
  const form = useForm({
    initialValues: {
      scope: cap?.scope ?? ('organization' as Scope),
      key: cap?.key ?? null,
      project: cap?.project ?? '',
      person: cap?.person ?? null,
      label: cap?.label ?? '',
      window: cap?.window ?? ('month' as Window),
      limit: cap === undefined ? '' : plainDecimal(cap.limit),
      pause: cap?.mode === 'pause',
    },
    validate: {
      limit: (limit) => (String(limit) === '' ? 'Say how much.' : null),
      key: (key, { scope }) => (scope === 'key' && key === null ? 'Choose a key.' : null),
      project: (project, { scope }) => (scope === 'project' && project.trim() === '' ? 'Name a project.' : null),
      person: (person, { scope }) => (scope === 'person' && person === null ? 'Choose a member.' : null),
      label: (label, { scope }) => (scope === 'label' && label.trim() === '' ? 'Name a label.' : null),
    },
  });
  const keys = useKeyNames();
  const projects = api.useQuery(
    'get',
    '/platform/v1/usage',
    { params: { query: { by: 'project' } } },
    { select: ({ data }) => data.flatMap(({ project }) => project ?? []) },
  );
  const labels = api.useQuery(
    'get',
    '/platform/v1/usage',
    { params: { query: { by: 'label' } } },
    { select: ({ data }) => data.flatMap(({ label }) => label ?? []) },
  );
  const members = useQuery({ ...wholeListQuery('/platform/v1/members'), select: ({ data }) => data.map(({ email }) => email) });
  const setting = useDoing({
    run: ({ scope, key, project, person, label, window, limit, pause }: typeof form.values) =>
      ask.POST('/platform/v1/caps', {
        body: {
          scope,
          window,
          limit: dollarsToSend(limit),
          mode: pause ? 'pause' : 'refuse',
          key: scope === 'key' ? key : null,
          project: scope === 'project' ? project.trim() : null,
          person: scope === 'person' ? person : null,
          label: scope === 'label' ? label.trim() : null,
        },
      }),
    done: cap === undefined ? 'The cap is armed.' : 'The cap is changed.',
    changes: ['/platform/v1/caps'],
    after: onDone,
  });
  const [tried] = useDebouncedValue(form.values, 400);
  const { scope } = form.values;
  const fixed = cap !== undefined;
  return (
    <form onSubmit={form.onSubmit((values) => setting.mutate(values))}>
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Select label="Of" data={choicesOf(scopes)} allowDeselect={false} disabled={fixed} data-autofocus {...form.getInputProps('scope')} />
          {scope === 'key' ? (
            <Select
              label="Key"
              searchable
              disabled={fixed}
              data={[...keys].map(([value, label]) => ({ value, label }))}
              {...form.getInputProps('key')}
            />
          ) : null}
          {scope === 'project' ? (
            <Autocomplete label="Project" disabled={fixed} data={projects.data ?? []} maxLength={256} {...form.getInputProps('project')} />
          ) : null}
          {scope === 'person' ? (
            <Select label="Person" searchable disabled={fixed} data={members.data ?? []} {...form.getInputProps('person')} />
          ) : null}
          {scope === 'label' ? (
            <Autocomplete label="Label" disabled={fixed} data={labels.data ?? []} maxLength={128} {...form.getInputProps('label')} />
          ) : null}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Select label="Window" data={choicesOf(windows)} allowDeselect={false} disabled={fixed} {...form.getInputProps('window')} />
          <NumberInput label="Limit, US dollars" prefix="$" min={0} decimalScale={6} hideControls {...form.getInputProps('limit')} />
        </SimpleGrid>
        <Switch
          label="Pause instead of refuse"
          description="Once reached: 429 with the time until it starts again, which SDKs wait for, instead of 402."
          {...form.getInputProps('pause', { type: 'checkbox' })}
        />
        <WouldRefuse wanted={{ ...tried, limit: dollarsToSend(tried.limit) }} />
        {scope === 'project' ? (
          <Text size="xs" c="dimmed">
            A call counts for the project it names; a key's own project is only its default.
          </Text>
        ) : null}
        <Group justify="flex-end">
          <Button type="submit" loading={setting.isPending}>
            {fixed ? 'Change the cap' : 'Arm the cap'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
