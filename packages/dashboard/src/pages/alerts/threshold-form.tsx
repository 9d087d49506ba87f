/** Sets the thresholds of one cap, replacing earlier ones. */
import { Select, Stack, TagsInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from '@tanstack/react-router';
import { ask, type Shown } from '../../api/client.ts';
import { useDoing } from '../../parts/doing.ts';
import { Submit } from '../../parts/submit.tsx';
import { plainDecimal, wholeDollars } from '../../shown/amounts.ts';
import type { KeyNames } from '../../shown/key-names.ts';

type Cap = Shown<'Cap'>;

export interface ThresholdFormProps {
  readonly caps: readonly Cap[];
  /** Absent: new thresholds. */
  readonly edited: Shown<'Alert'> | undefined;
  readonly names: KeyNames;
  readonly onDone: () => void;
}

const usual = ['50', '75', '80', '90', '95', '100'];

export function ThresholdForm({ caps, edited, names, onDone }: ThresholdFormProps) {
  const form = useForm({
    initialValues: { cap: edited?.cap ?? (caps.length === 1 ? caps[0]!.id : null), at: (edited?.at ?? [50, 80, 100]).map(String) },
    validate: {
      cap: (cap) => (cap === null ? 'Choose a cap.' : null),
      at: (at) =>
        at.length === 0 || !at.every((percent) => /^\d{1,4}$/.test(percent) && Number(percent) >= 1 && Number(percent) <= 1_000)
          ? 'One to ten whole numbers of percent, from 1 to 1000.'
          : null,
    },
  });
  const setting = useDoing({
    run: ({ cap, at }: typeof form.values) => ask.POST('/platform/v1/alerts', { body: { cap: cap!, at: at.map(Number) } }),
    done: 'The thresholds are set.',
    changes: ['/platform/v1/alerts'],
    after: onDone,
  });
  if (caps.length === 0) {
    return (
      <Text size="sm">
        There is no cap yet.{' '}
        <Link to="/caps" search={{ new: 'cap' }}>
          Set one
        </Link>{' '}
        first.
      </Text>
    );
  }
  return (
    <form onSubmit={form.onSubmit((values) => setting.mutate(values))}>
      <Stack>
        <Select
          label="Cap"
          data={caps.map((cap) => ({ value: cap.id, label: capName(cap, names) }))}
          disabled={edited !== undefined}
          allowDeselect={false}
          data-autofocus
          {...form.getInputProps('cap')}
        />
        <TagsInput
          label="Percent of its limit"
          description="From 1 to 1000. Above 100 shows how far spend has gone past a cap that does not refuse."
          data={usual}
          maxTags={10}
          inputMode="numeric"
          clearable
          {...form.getInputProps('at')}
        />
        <Submit busy={setting.isPending}>Set the thresholds</Submit>
      </Stack>
    </form>
  );
}

function capName({ scope, key, project, person, label, window, limit }: Cap, names: KeyNames): string {
  const of = {
    organization: 'The organization',
    key: `Key ${names.get(key ?? '') ?? key}`,
    project: `Project ${project}`,
    person: `Person ${person ?? ''}`,
    label: `Label ${label}`,
  }[scope];
  return `${of}, ${window}, ${wholeDollars(plainDecimal(limit))}`;
}
