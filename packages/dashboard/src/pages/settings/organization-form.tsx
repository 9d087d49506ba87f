/** What runs may spend, what is refused, how long an abandoned call is drained, and the price for models in no list. */
import { NumberInput, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import type { Shown } from '../../api/client.ts';
import { DollarsInput } from '../../parts/dollars-input.tsx';
import { ModelsInput } from '../../parts/models-input.tsx';
import { Submit } from '../../parts/submit.tsx';
import { useOrganizationForm, type Rule } from './organization-values.ts';

type Organization = Shown<'Organization'>;

const ruleWords: Readonly<Record<Rule, string>> = {
  allow: 'Allowed, cost unknown',
  refuse: 'Refused',
  'refuse-under-limits': 'Refused under a cap or run budget',
};
const rules = { allowDeselect: false, data: Object.entries(ruleWords).map(([value, label]) => ({ value, label })) } as const;

export function OrganizationForm({ organization, readOnly }: { readonly organization: Organization; readonly readOnly: boolean }) {
  const { form, saving, submit, conflict } = useOrganizationForm(organization);
  return (
    <form onSubmit={submit}>
      <fieldset disabled={readOnly} style={{ border: 0, padding: 0, margin: 0 }}>
        <Stack gap="lg">
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <DollarsInput
              label="A key's run may declare"
              description="More than this needs a grant."
              placeholder="no bound"
              {...form.getInputProps('maxRunBudget')}
            />
            <DollarsInput label="A run at most" description="With a grant too." placeholder="no bound" {...form.getInputProps('runCeiling')} />
            <DollarsInput
              label="Live runs together"
              description="What they may still spend."
              placeholder="no bound"
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
            description="Ask providers and upstreams what became of batches and background responses."
            {...form.getInputProps('follow', { type: 'checkbox' })}
          />
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <DollarsInput
              label="Fallback price, input"
              description="Dollars per million tokens."
              placeholder="none"
              {...form.getInputProps('input')}
            />
            <DollarsInput
              label="Fallback price, output"
              description="For models no list knows."
              placeholder="none"
              {...form.getInputProps('output')}
            />
            <NumberInput
              label="Read an abandoned call for"
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
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Select label="Work billed later" description="Batches, background responses." {...rules} {...form.getInputProps('deferred')} />
            <Select label="Work never reported" description="Video, speech, fine-tuning." {...rules} {...form.getInputProps('unreported')} />
            <Select
              label="Provider keys handed out"
              description="Keys and channels past the gateway."
              {...rules}
              {...form.getInputProps('handedOut')}
            />
            <Select
              label="Usage hidden by the caller"
              description="Answers in part, streams without usage."
              {...rules}
              {...form.getInputProps('hidden')}
            />
          </SimpleGrid>
          {conflict}
          {readOnly ? (
            <Text size="sm" c="dimmed">
              Changing these needs the role admin.
            </Text>
          ) : (
            <Submit busy={saving} disabled={!form.isDirty()}>Save</Submit>
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
