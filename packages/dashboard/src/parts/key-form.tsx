/** Making a service key: its name, the project that its calls count for, and how long it is valid. */
import { Button, Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { ask, type Shown } from '../api/client.ts';
import { useMay, useSession } from '../app/session.ts';
import { useDoing } from './doing.ts';
import { ModelsInput } from './models-input.tsx';
import { TermsText, useBindingTerms, type ShownTerms } from './own-keys.tsx';
import { RunBudgetInput } from './run-budget-input.tsx';
import { dollarsToSend } from '../shown/amounts.ts';

export type MintedKey = Shown<'MintedServiceKey'>;

/** The lifetimes on offer, in seconds; empty: no end. */
const keyLives = [
  { value: '', label: 'Does not expire' },
  { value: '86400', label: 'A day' },
  { value: '604800', label: 'A week' },
  { value: '2592000', label: '30 days' },
  { value: '7776000', label: '90 days' },
  { value: '31536000', label: 'A year' },
];

/** Those that the terms allow. Where they set a longest life, that is what no choice means. */
export function livesWithin(terms: ShownTerms | null) {
  const longest = terms?.lifetimeSecondsMax ?? null;
  if (longest === null) return keyLives;
  return keyLives.flatMap(({ value, label }) => (value === '' ? [{ value, label: 'As long as it may' }] : Number(value) <= longest ? [{ value,
    label }] : []));
}

export function KeyForm({ onMade, onCancel }: { readonly onMade: (key: MintedKey) => void; readonly onCancel?: () => void }) {
  const terms = useBindingTerms();
  const admin = useMay('admin');
  const { email } = useSession();
  const [more, setMore] = useState(false);
  const form = useForm({
    initialValues: { name: '', project: '', life: '', maxRunBudget: '' as number | string, models: [] as string[], person: '' },
  });
  const making = useDoing({
    run: async ({ name, project, life, maxRunBudget, models, person }: typeof form.values) =>
      (
        await ask.POST('/platform/v1/keys', {
          body: {
            name: name.trim() === '' ? null : name.trim(),
            project: project.trim() === '' ? null : project.trim(),
            expiresInSeconds: life === '' ? null : Number(life),
            maxRunBudget: maxRunBudget === '' ? null : dollarsToSend(maxRunBudget),
            models: models.length === 0 ? null : models,
            person: person.trim() === '' ? null : person.trim(),
          },
        })
      ).data!,
    changes: ['/platform/v1/keys'],
    after: onMade,
  });
  return (
    <form onSubmit={form.onSubmit((values) => making.mutate(values))}>
      <Stack>
        <TextInput
          label="Name"
          description="Who or what uses it, such as billing-service."
          maxLength={200}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Project"
          description="Its calls count for this project, unless a call names its own."
          maxLength={256}
          {...form.getInputProps('project')}
        />
        {terms === null ? null : <TermsText of={terms} />}
        <Button variant="subtle" size="compact-sm" w="fit-content" aria-expanded={more} onClick={() => setMore(!more)}>
          {more ? 'Fewer settings' : 'More settings'}
        </Button>
        {more ? (
          <>
            <Select label="Life" data={livesWithin(terms)} allowDeselect={false} {...form.getInputProps('life')} />
            {terms === null ? <RunBudgetInput {...form.getInputProps('maxRunBudget')} /> : null}
            <ModelsInput {...form.getInputProps('models')} />
            {admin ? (
              <TextInput
                label="Belongs to"
                description="Email of the member whose key it is. It ends when they leave."
                type="email"
                {...form.getInputProps('person')}
              />
            ) : terms === null && email !== null ? (
              <Switch
                label="It is mine"
                description="Then it ends when you leave the organization."
                checked={form.values.person !== ''}
                onChange={({ currentTarget }) => form.setFieldValue('person', currentTarget.checked ? email : '')}
              />
            ) : null}
          </>
        ) : null}
        <Group justify="flex-end" gap="xs">
          {onCancel === undefined ? null : (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={making.isPending}>
            Make the key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
