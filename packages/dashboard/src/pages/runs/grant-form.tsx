/** Minting a grant: it lets one run have a budget above what a key may declare alone. */
import { Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask } from '../../api/client.ts';
import { CodeBlock } from '../../parts/copying.tsx';
import { useDoing } from '../../parts/doing.ts';
import { DollarsInput } from '../../parts/dollars-input.tsx';
import { Submit } from '../../parts/submit.tsx';
import { dollarsToSend } from '../../shown/amounts.ts';

const lives = [
  { value: '3600', label: 'An hour' },
  { value: '86400', label: 'A day' },
  { value: '604800', label: 'A week' },
  { value: '2592000', label: '30 days' },
];

export function GrantForm() {
  const form = useForm({
    initialValues: { run: '', max: '' as number | string, life: '86400' },
    validate: { max: (max) => (String(max) === '' ? 'Say how much.' : null) },
  });
  const minting = useDoing({
    run: async ({ run, max, life }: typeof form.values) =>
      (await ask.POST('/platform/v1/run-grants', { body: { run: run.trim(), max: dollarsToSend(max), expiresInSeconds: Number(life) } }))
        .data!,
    changes: [],
  });
  if (minting.data !== undefined) {
    return (
      <Stack>
        <Text size="sm">
          Send it with the run's first call, as <span className="mono">x-svc-run-grant</span>. It is not kept here.
        </Text>
        <CodeBlock name="grant" code={minting.data.grant} />
      </Stack>
    );
  }
  return (
    <form onSubmit={form.onSubmit((values) => minting.mutate(values))}>
      <Stack>
        <TextInput label="Run id" required maxLength={128} data-autofocus {...form.getInputProps('run')} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <DollarsInput label="Highest budget, US dollars" {...form.getInputProps('max')} />
          <Select label="Good for" data={lives} allowDeselect={false} {...form.getInputProps('life')} />
        </SimpleGrid>
        <Submit busy={minting.isPending}>Mint the grant</Submit>
      </Stack>
    </form>
  );
}
