/** Changing a service key: its name, its project, when it expires, what its runs may declare. Untouched fields stay as they are. */
import { Select, Stack, TextInput } from '@mantine/core';
import { ask, Refused, type Shown } from '../../api/client.ts';
import { wholeList } from '../../api/whole-list.ts';
import { livesWithin } from '../../parts/key-form.tsx';
import { ModelsInput } from '../../parts/models-input.tsx';
import { TermsText, useBindingTerms } from '../../parts/own-keys.tsx';
import { RunBudgetInput } from '../../parts/run-budget-input.tsx';
import { changeOf, useSharedForm } from '../../parts/shared-form.tsx';
import { Submit } from '../../parts/submit.tsx';
import { dollarsToSend, plainDecimal } from '../../shown/amounts.ts';
import { utcMoment } from '../../shown/moments.ts';

type Key = Shown<'ServiceKey'>;

export function KeySettingsForm({ of: key, onDone }: { readonly of: Key; readonly onDone: () => void }) {
  const terms = useBindingTerms();
  const { form, saving, submit, conflict } = useSharedForm({
    of: key,
    entered,
    words: { name: 'Name', project: 'Project', life: 'Life', maxRunBudget: 'Run budget', models: 'Models' },
    send: (values, before) =>
      ask.PATCH('/platform/v1/keys/{id}', {
        params: { path: { id: key.id } },
        // A lifetime is sent, its end is shown.
        body: changeOf(settingsOf(entered(before)), settingsOf(values), before, shownAs),
      }),
    read: () => readKey(key.id),
    done: 'The key is changed. This takes effect within a second.',
    changes: ['/platform/v1/keys', '/platform/v1/audit'],
    after: onDone,
  });
  // Under terms a key's end cannot be taken away.
  const lives = livesWithin(terms).filter(({ value }) => value !== '' || (terms?.lifetimeSecondsMax ?? null) === null)
    .map(({ value, label }) => ({ value, label: ended(label) }));
  const end = key.expiresAt === null ? 'does not expire' : `ends ${utcMoment(new Date(key.expiresAt))}`;
  return (
    <form onSubmit={submit}>
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
          data={[{ value: 'as it is', label: `As it is: ${end}` }, ...lives]}
          allowDeselect={false}
          {...form.getInputProps('life')}
        />
        {terms === null ? <RunBudgetInput {...form.getInputProps('maxRunBudget')} /> : <TermsText of={terms} />}
        <ModelsInput {...form.getInputProps('models')} />
        {conflict}
        <Submit busy={saving} disabled={!form.isDirty()}>Change the key</Submit>
      </Stack>
    </form>
  );
}

/** `A week` → `A week from now`. */
function ended(label: string): string {
  return label.startsWith('Does not') ? label : `${label} from now`;
}

const shownAs = { expiresInSeconds: 'expiresAt' } as const;

type Entered = { name: string; project: string; life: string; maxRunBudget: number | string; models: string[] };

function entered(key: Key): Entered {
  return {
    name: key.name ?? '',
    project: key.project ?? '',
    life: 'as it is',
    maxRunBudget: key.maxRunBudget === null ? '' : plainDecimal(key.maxRunBudget),
    models: [...(key.models ?? [])],
  };
}

function settingsOf({ name, project, life, maxRunBudget, models }: Entered) {
  return {
    name: name.trim() === '' ? null : name.trim(),
    project: project.trim() === '' ? null : project.trim(),
    maxRunBudget: maxRunBudget === '' ? null : dollarsToSend(maxRunBudget),
    models: models.length === 0 ? null : models,
    expiresInSeconds: life === 'as it is' ? undefined : life === '' ? null : Number(life),
  };
}

async function readKey(id: string): Promise<Key> {
  const { data } = await wholeList('/platform/v1/keys');
  const found = data.find((each) => each.id === id);
  if (found === undefined) throw new Refused(404, 'unknown_key', 'There is no service key with this id.');
  return found;
}
