/** Changing a service key: its name, its project, when it expires, what its runs may declare. Untouched fields stay as they are. */
import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask, type Shown } from '../../api/client.ts';
import { useDoing } from '../../parts/doing.ts';
import { keyLives } from '../../parts/key-form.tsx';
import { ModelsInput } from '../../parts/models-input.tsx';
import { RunBudgetInput } from '../../parts/run-budget-input.tsx';
import { dollarsSent, plainDecimal } from '../../shown/amounts.ts';
import { utcMoment } from '../../shown/moments.ts';

type Key = Shown<'ServiceKey'>;

export function KeySettingsForm({ of: key, onDone }: { readonly of: Key; readonly onDone: () => void }) {
  const form = useForm({
    initialValues: {
      name: key.name ?? '',
      project: key.project ?? '',
      life: 'as it is',
      maxRunBudget: (key.maxRunBudget === null ? '' : plainDecimal(key.maxRunBudget)) as number | string,
      models: [...(key.models ?? [])],
    },
  });
  const saving = useDoing({
    run: ({ name, project, life, maxRunBudget, models }: typeof form.values) =>
      ask.PATCH('/platform/v1/keys/{id}', {
        params: { path: { id: key.id } },
        body: {
          name: name.trim() === '' ? null : name.trim(),
          project: project.trim() === '' ? null : project.trim(),
          maxRunBudget: maxRunBudget === '' ? null : dollarsSent(maxRunBudget),
          models: models.length === 0 ? null : models,
          ...(life === 'as it is' ? {} : { expiresInSeconds: life === '' ? null : Number(life) }),
        },
      }),
    done: 'The key is changed. It holds within a second.',
    changes: ['/platform/v1/keys', '/platform/v1/audit'],
    after: onDone,
  });
  const end = key.expiresAt === null ? 'does not expire' : `ends ${utcMoment(new Date(key.expiresAt))}`;
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      <Stack>
        <TextInput
          label="Name"
          description="Who or what uses it."
          maxLength={200}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Project"
          description="From now on its calls count for this project, unless a call names its own. Earlier calls stay where they are."
          maxLength={256}
          {...form.getInputProps('project')}
        />
        <Select
          label="Life"
          data={[{ value: 'as it is', label: `As it is: ${end}` }, ...keyLives.map(({ value, label }) => ({ value, label: ended(label) }))]}
          allowDeselect={false}
          {...form.getInputProps('life')}
        />
        <RunBudgetInput {...form.getInputProps('maxRunBudget')} />
        <ModelsInput {...form.getInputProps('models')} />
        <Group justify="flex-end">
          <Button type="submit" disabled={!form.isDirty()} loading={saving.isPending}>
            Change the key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** `A week` → `A week from now`. */
function ended(label: string): string {
  return label.startsWith('Does not') ? label : `${label} from now`;
}
