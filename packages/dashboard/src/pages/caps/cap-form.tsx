/** Setting a cap: its scope, window, limit and mode. Before it is set, the form shows what it would have refused. */
import { Autocomplete, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api, ask, type Shown } from '../../api/client.ts';
import { wholeList, wholeListQuery } from '../../api/whole-list.ts';
import { DollarsInput } from '../../parts/dollars-input.tsx';
import { useSharedForm } from '../../parts/shared-form.tsx';
import { Submit } from '../../parts/submit.tsx';
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
  lifetime: 'All time',
} satisfies Record<Window, string>;

type Entered = {
  scope: Scope; key: string | null; project: string; person: string | null; label: string; window: Window; limit: string; pause: boolean;
};

/** A cap as the form has it. One that is not there yet has no limit. */
type CapToSet = Pick<Cap, 'scope' | 'key' | 'project' | 'person' | 'label' | 'window' | 'mode'> & { readonly limit: string | null };
const newCap: CapToSet = {
  scope: 'organization', key: null, project: null, person: null, label: null, window: 'month', mode: 'refuse', limit: null,
};

const entered = (cap: CapToSet): Entered => ({
  ...cap, project: cap.project ?? '', label: cap.label ?? '', limit: cap.limit === null ? '' : plainDecimal(cap.limit), pause: cap.mode === 'pause',
});

/** The subject of the cap, by its scope. */
function subjectOf({ scope, key, project, person, label }: Entered) {
  return {
    scope,
    key: scope === 'key' ? key : null,
    project: scope === 'project' ? project.trim() : null,
    person: scope === 'person' ? person : null,
    label: scope === 'label' ? label.trim() : null,
  };
}

export function CapForm({ cap, onDone }: { readonly cap: Cap | undefined; readonly onDone: () => void }) {
  const { form, saving, submit, conflict } = useSharedForm<CapToSet, Entered>({
    of: cap ?? newCap,
    entered,
    words: { scope: 'Of', key: 'Key', project: 'Project', person: 'Person', label: 'Label', window: 'Window', limit: 'Limit', pause: 'Pause' },
    validate: ({ limit, scope, key, project, person, label }) => ({
      ...(String(limit) === '' ? { limit: 'Say how much.' } : {}),
      ...(scope === 'key' && key === null ? { key: 'Choose a key.' } : {}),
      ...(scope === 'project' && project.trim() === '' ? { project: 'Name a project.' } : {}),
      ...(scope === 'person' && person === null ? { person: 'Choose a member.' } : {}),
      ...(scope === 'label' && label.trim() === '' ? { label: 'Name a label.' } : {}),
    }),
    send: (values, { limit, mode }) =>
      ask.POST('/platform/v1/caps', {
        body: {
          ...subjectOf(values),
          window: values.window,
          limit: dollarsToSend(values.limit),
          mode: values.pause ? 'pause' : 'refuse',
          was: limit === null ? null : { limit, mode },
        },
      }),
    read: async (values) => {
      const wanted = Object.entries({ ...subjectOf(values), window: values.window });
      const { data } = await wholeList('/platform/v1/caps');
      return data.find((each) => wanted.every(([name, value]) => each[name as keyof Cap] === value)) ?? newCap;
    },
    done: cap === undefined ? 'The cap is armed.' : 'The cap is changed.',
    changes: ['/platform/v1/caps'],
    after: onDone,
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
  const [tried] = useDebouncedValue(form.values, 400);
  const { scope } = form.values;
  const fixed = cap !== undefined;
  return (
    <form onSubmit={submit}>
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
          <DollarsInput label="Limit, US dollars" {...form.getInputProps('limit')} />
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
        {conflict}
        <Submit busy={saving}>{fixed ? 'Change the cap' : 'Arm the cap'}</Submit>
      </Stack>
    </form>
  );
}
