/** Making a webhook: the address that events are posted to, and which events. */
import { Checkbox, Group, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask, sentenceOf } from '../../api/client.ts';
import { useDoing } from '../../parts/doing.ts';
import { FormFault } from '../../parts/form-fault.tsx';
import { Submit } from '../../parts/submit.tsx';
import { choicesOf } from '../../shown/choices.ts';
import { eventWords, type WebhookEventName } from './webhook-events.ts';

export function WebhookForm({ onMade }: { readonly onMade: (secret: string) => void }) {
  const form = useForm({
    initialValues: { url: '', which: 'all', events: [] as WebhookEventName[] },
    validate: {
      url: (url) => (url.trim() === '' ? 'Enter the address that events are posted to.' : null),
      events: (events, { which }) => (which === 'some' && events.length === 0 ? 'Choose at least one.' : null),
    },
  });
  const making = useDoing({
    run: async ({ url, which, events }: typeof form.values) =>
      (await ask.POST('/platform/v1/webhooks', { body: { url: url.trim(), events: which === 'all' ? null : events } })).data!,
    changes: ['/platform/v1/webhooks'],
    after: ({ secret }) => onMade(secret),
    quiet: true,
  });
  return (
    <form onSubmit={form.onSubmit((values) => making.mutate(values))}>
      <Stack>
        <FormFault sentence={making.error === null ? null : sentenceOf(making.error)} />
        <TextInput
          label="Address"
          description="A public one, over https."
          placeholder="https://example.com/hooks/metergate"
          inputMode="url"
          autoComplete="off"
          maxLength={2_048}
          data-autofocus
          {...form.getInputProps('url')}
        />
        <Radio.Group label="Events to send" {...form.getInputProps('which')}>
          <Group mt={6}>
            <Radio value="all" label="All events" />
            <Radio value="some" label="Only these" />
          </Group>
        </Radio.Group>
        {form.values.which === 'some' ? (
          <Checkbox.Group label="Events" {...form.getInputProps('events')}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} mt={6} spacing="xs">
              {choicesOf(eventWords).map(({ value, label }) => (
                <Checkbox key={value} value={value} label={label} />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
        ) : null}
        <Submit busy={making.isPending}>Make the webhook</Submit>
      </Stack>
    </form>
  );
}
