/** What runs may spend, what is refused, how long an abandoned call is drained, and the price for models in no list. */
import { Button, Group, NumberInput, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSession } from '../../app/session.ts';
import { ask, type Shown } from '../../api/client.ts';
import { useDoing } from '../../parts/doing.ts';
import { ModelsInput } from '../../parts/models-input.tsx';
import { dollarsSent, plainDecimal } from '../../shown/amounts.ts';

type Organization = Shown<'Organization'>;
const money = { prefix: '$', min: 0, hideControls: true, decimalScale: 6, placeholder: 'no bound' } as const;

type Rule = Organization['unmetered']['deferred'];
const ruleWords: Readonly<Record<Rule, string>> = {
  allow: 'Allowed, cost unknown',
  refuse: 'Refused',
  'refuse-under-limits': 'Refused under a cap or run budget',
};
const rules = { allowDeselect: false, data: Object.entries(ruleWords).map(([value, label]) => ({ value, label })) } as const;

export function OrganizationForm({ organization, readOnly }: { readonly organization: Organization; readonly readOnly: boolean }) {
  const {
    organization: { id },
  } = useSession();
  const form = useForm({ initialValues: entered(organization) });
  const saving = useDoing({
    run: (values: typeof form.values) =>
      ask.PATCH('/platform/v1/organizations/{id}', { params: { path: { id } }, body: settingsOf(values) }),
    done: 'The settings are saved. They hold within a second.',
    changes: ['/platform/v1/organizations'],
    after: () => form.resetDirty(),
  });
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      <fieldset disabled={readOnly} style={{ border: 0, padding: 0, margin: 0 }}>
        <Stack gap="lg">
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <NumberInput
              label="A key's run may declare"
              description="More than this needs a grant."
              {...money}
              {...form.getInputProps('maxRunBudget')}
            />
            <NumberInput label="A run at most" description="With a grant too." {...money} {...form.getInputProps('runCeiling')} />
            <NumberInput
              label="Live runs together"
              description="What they may still spend."
              {...money}
              {...form.getInputProps('runExposure')}
            />
          </SimpleGrid>
          <Switch
            label="Caps of keys refuse"
            description="Off: they are only shown and refuse nothing."
            {...form.getInputProps('enforceKeyCaps', { type: 'checkbox' })}
          />
          <Switch
            label="Follow work that is billed later"
            description="Ask the providers what became of batches and background responses."
            {...form.getInputProps('follow', { type: 'checkbox' })}
          />
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <NumberInput
              label="Fallback price, input"
              description="Dollars per million tokens."
              {...money}
              placeholder="none"
              {...form.getInputProps('input')}
            />
            <NumberInput
              label="Fallback price, output"
              description="For models no list knows."
              {...money}
              placeholder="none"
              {...form.getInputProps('output')}
            />
            <NumberInput
              label="Read an abandoned call on for"
              description="Seconds, to learn its usage."
              suffix=" s"
              min={0}
              allowDecimal={false}
              hideControls
              placeholder="default"
              {...form.getInputProps('drainSeconds')}
            />
            <NumberInput
              label="Keep records for"
              description={goneText(organization)}
              suffix=" days"
              min={31}
              max={36500}
              allowDecimal={false}
              hideControls
              placeholder="ever"
              {...form.getInputProps('keepRecordsDays')}
            />
          </SimpleGrid>
          <Switch
            label="Refuse calls with a wrong base URL"
            description="An Anthropic client without /alt in its base URL: off, its files go to OpenAI."
            {...form.getInputProps('refusesWrongBaseUrl', { type: 'checkbox' })}
          />
          <ModelsInput {...form.getInputProps('models')} />
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <Select label="Work billed later" description="Batches, background responses." {...rules} {...form.getInputProps('deferred')} />
            <Select label="Work never reported" description="Video, speech, fine-tuning." {...rules} {...form.getInputProps('unreported')} />
            <Select
              label="Provider keys handed out"
              description="Keys and channels past the gateway."
              {...rules}
              {...form.getInputProps('handedOut')}
            />
          </SimpleGrid>
          {readOnly ? (
            <Text size="sm" c="dimmed">
              Changing these takes the role admin.
            </Text>
          ) : (
            <Group justify="flex-end">
              <Button type="submit" disabled={!form.isDirty()} loading={saving.isPending}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </fieldset>
    </form>
  );
}

/** Older records are deleted; at least 31 days. */
function goneText({ recordsGoneBefore }: Organization): string {
  if (recordsGoneBefore === null) return 'Days, at least 31. Older records are deleted.';
  return `Those before ${recordsGoneBefore.slice(0, 10)} were deleted.`;
}

type Amount = number | string;
interface Entered {
  maxRunBudget: Amount;
  runCeiling: Amount;
  runExposure: Amount;
  enforceKeyCaps: boolean;
  follow: boolean;
  input: Amount;
  output: Amount;
  drainSeconds: Amount;
  keepRecordsDays: Amount;
  refusesWrongBaseUrl: boolean;
  models: string[];
  deferred: Rule;
  unreported: Rule;
  handedOut: Rule;
}

function entered(organization: Organization): Entered {
  const { maxRunBudget, runCeiling, runExposure, enforceKeyCaps, fallbackPrice, drainSeconds, keepRecordsDays, unmetered, wrongBaseUrl, follow } =
    organization;
  const shown = (amount: string | null | undefined): Amount => (amount === null || amount === undefined ? '' : plainDecimal(amount));
  return {
    maxRunBudget: shown(maxRunBudget),
    runCeiling: shown(runCeiling),
    runExposure: shown(runExposure),
    enforceKeyCaps,
    follow,
    input: shown(fallbackPrice?.input),
    output: shown(fallbackPrice?.output),
    drainSeconds: drainSeconds ?? '',
    keepRecordsDays: keepRecordsDays ?? '',
    refusesWrongBaseUrl: wrongBaseUrl === 'refuse',
    models: [...(organization.models ?? [])],
    ...unmetered,
  };
}

function settingsOf(values: Entered) {
  const amount = (value: Amount): string | null => (value === '' ? null : dollarsSent(value));
  const { input, output, deferred, unreported, handedOut } = values;
  return {
    maxRunBudget: amount(values.maxRunBudget),
    runCeiling: amount(values.runCeiling),
    runExposure: amount(values.runExposure),
    enforceKeyCaps: values.enforceKeyCaps,
    follow: values.follow,
    drainSeconds: values.drainSeconds === '' ? null : Number(values.drainSeconds),
    keepRecordsDays: values.keepRecordsDays === '' ? null : Number(values.keepRecordsDays),
    unmetered: { deferred, unreported, handedOut },
    models: values.models.length === 0 ? null : values.models,
    wrongBaseUrl: values.refusesWrongBaseUrl ? ('refuse' as const) : ('forward' as const),
    fallbackPrice:
      input === '' && output === ''
        ? null
        : { input: dollarsSent(input === '' ? 0 : input), output: dollarsSent(output === '' ? 0 : output) },
  };
}
