/** What members may do about their own keys: how many, which models, how long, and the cap that each gets. */
import { NumberInput, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import type { Shown } from '../../api/client.ts';
import { DollarsInput } from '../../parts/dollars-input.tsx';
import { ModelsInput } from '../../parts/models-input.tsx';
import { TermsText, windowWords } from '../../parts/own-keys.tsx';
import { Panel } from '../../parts/page.tsx';
import { Submit } from '../../parts/submit.tsx';
import { dollarsToSend, plainDecimal } from '../../shown/amounts.ts';
import { choicesOf } from '../../shown/choices.ts';
import { useFormOfOrganization } from './organization-values.ts';

type Organization = Shown<'Organization'>;
type Window = NonNullable<NonNullable<Organization['ownKeys']>['cap']>['window'];

type Entered = {
  isOn: boolean; keysMax: number | string; models: string[]; days: number | string; limit: number | string; window: Window;
  personLimit: number | string; personWindow: Window;
};

export function OwnKeysPanel({ of: organization, readOnly }: { readonly of: Organization; readonly readOnly: boolean }) {
  const about = 'Members then make service keys for themselves alone, within this. Admins make any key.';
  if (readOnly) {
    return (
      <Panel title="Keys that members make" about={about}>
        {organization.ownKeys === null ? <Text size="sm">No terms are set: members make and change any key.</Text>
          : <TermsText of={organization.ownKeys} />}
      </Panel>
    );
  }
  return (
    <Panel title="Keys that members make" about={about}>
      <OwnKeysForm of={organization} />
    </Panel>
  );
}

function OwnKeysForm({ of: organization }: { readonly of: Organization }) {
  const { form, saving, submit, conflict } = useFormOfOrganization(organization, {
    entered,
    settingsOf,
    words: {
      isOn: 'Terms', keysMax: 'Keys', models: 'Models', days: 'Life', limit: 'Cap of a key', window: 'Window of that cap',
      personLimit: 'Cap of a member', personWindow: 'Window of a member\'s cap',
    },
    done: 'The terms are saved. They hold for keys that are made or changed from now on.',
  });
  const isOff = !form.values.isOn;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Switch
          label="Members make keys for themselves within these terms"
          description="Off: they make and change any key of the organization."
          {...form.getInputProps('isOn', { type: 'checkbox' })}
        />
        <SimpleGrid cols={{ base: 1, sm: 4 }}>
          <NumberInput
            label="Keys of one member"
            min={1}
            max={100}
            allowDecimal={false}
            hideControls
            disabled={isOff}
            {...form.getInputProps('keysMax')}
          />
          <NumberInput
            label="Longest life"
            suffix=" days"
            min={1}
            max={36500}
            allowDecimal={false}
            hideControls
            placeholder="no end"
            disabled={isOff}
            {...form.getInputProps('days')}
          />
          <DollarsInput
            label="Cap of each key"
            placeholder="none"
            disabled={isOff}
            {...form.getInputProps('limit')}
          />
          <Select label="Of that cap" data={choicesOf(windowWords)} allowDeselect={false} disabled={isOff} {...form.getInputProps('window')} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <DollarsInput
            label="Cap of each member"
            placeholder="none"
            disabled={isOff}
            {...form.getInputProps('personLimit')}
          />
          <Select
            label="Of a member's cap"
            data={choicesOf(windowWords)}
            allowDeselect={false}
            disabled={isOff}
            {...form.getInputProps('personWindow')}
          />
        </SimpleGrid>
        <Text size="xs" c="dimmed">
          A member's cap is over all their keys, ended ones too; whoever has a cap of that window keeps it. Without it, a member who ends a key and
          makes another may spend the cap of a key again.
        </Text>
        <ModelsInput disabled={isOff} {...form.getInputProps('models')} />
        {conflict}
        <Submit busy={saving} disabled={!form.isDirty()} aria-label="Save: keys that members make">Save</Submit>
      </Stack>
    </form>
  );
}

function entered({ ownKeys }: Organization): Entered {
  return {
    isOn: ownKeys !== null,
    keysMax: ownKeys?.keysMax ?? 3,
    models: [...(ownKeys?.models ?? [])],
    days: (ownKeys?.lifetimeSecondsMax ?? null) === null ? '' : ownKeys!.lifetimeSecondsMax! / 86_400,
    limit: (ownKeys?.cap ?? null) === null ? '' : plainDecimal(ownKeys!.cap!.limit),
    window: ownKeys?.cap?.window ?? 'month',
    personLimit: (ownKeys?.personCap ?? null) === null ? '' : plainDecimal(ownKeys!.personCap!.limit),
    personWindow: ownKeys?.personCap?.window ?? 'month',
  };
}

function settingsOf({ isOn, keysMax, models, days, limit, window, personLimit, personWindow }: Entered) {
  if (!isOn) return { ownKeys: null };
  return {
    ownKeys: {
      keysMax: Number(keysMax),
      models: models.length === 0 ? null : models,
      lifetimeSecondsMax: days === '' ? null : Math.round(Number(days) * 86_400),
      cap: limit === '' ? null : { window, limit: dollarsToSend(limit) },
      personCap: personLimit === '' ? null : { window: personWindow, limit: dollarsToSend(personLimit) },
    },
  };
}
