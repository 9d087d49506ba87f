/** Sets the thresholds of one cap, replacing those that the form was made from. */
import { Select, Stack, TagsInput, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ask, type Shown } from '../../api/client.ts';
import { useSharedForm } from '../../parts/shared-form.tsx';
import { Submit } from '../../parts/submit.tsx';
import { plainDecimal, wholeDollars } from '../../shown/amounts.ts';
import type { KeyNames } from '../../shown/key-names.ts';

type Cap = Shown<'Cap'>;

interface ThresholdFormProps {
  readonly caps: readonly Cap[];
  /** Absent: new thresholds. */
  readonly edited: Shown<'Alert'> | undefined;
  readonly names: KeyNames;
  readonly onDone: () => void;
}

/** `at`: null where there are none yet. */
interface Thresholds {
  readonly cap: string | null;
  readonly at: readonly number[] | null;
}

function isPercent(text: string): boolean {
  return /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1_000;
}

const usual = ['50', '75', '80', '90', '95', '100'];

export function ThresholdForm({ caps, edited, names, onDone }: ThresholdFormProps) {
  const { form, saving, submit, conflict } = useSharedForm<Thresholds, { cap: string | null; at: string[] }>({
    of: edited ?? { cap: caps.length === 1 ? caps[0]!.id : null, at: null },
    entered: ({ cap, at }) => ({ cap, at: (at ?? [50, 80, 100]).map(String) }),
    words: { cap: 'Cap', at: 'Percent of its limit' },
    validate: ({ cap, at }) => ({
      ...(cap === null ? { cap: 'Choose a cap.' } : {}),
      ...(at.length > 0 && at.every(isPercent) ? {} : { at: 'One to ten whole numbers of percent, from 1 to 1000.' }),
    }),
    send: ({ cap, at }, before) =>
      ask.POST('/platform/v1/alerts', { body: { cap: cap!, at: at.map(Number), was: before.at === null ? null : { at: before.at } } }),
    read: async ({ cap }) => {
      const { data } = await ask.GET('/platform/v1/alerts', { params: { query: { limit: 1_000 } } });
      return data!.data.find((alert) => alert.cap === cap) ?? { cap, at: null };
    },
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
    <form onSubmit={submit}>
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
        {conflict}
        <Submit busy={saving}>Set the thresholds</Submit>
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
