/** Setting the tap up: its key, shown once, and the lines that wrap a client. */
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { productQuery } from '../../api/asked-often.ts';
import { ask } from '../../api/client.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { CodeBlock, SecretOnce } from '../../parts/copying.tsx';
import { useDoing } from '../../parts/doing.ts';
import { Panel } from '../../parts/page.tsx';
import type { ListedBaseline } from './baseline-state.tsx';
import { tapSnippets } from './tap-snippets.ts';

const changes = ['/platform/v1/assessments'];

export function TapSetup({
  baseline,
  shownKey,
  onKey,
}: {
  readonly baseline: ListedBaseline;
  readonly shownKey: string | null;
  readonly onKey: (key: string) => void;
}) {
  const path = { params: { path: { id: baseline.id } } };
  const [language, setLanguage] = useState<'javascript' | 'python'>('javascript');
  const rotation = useQuestion();
  const product = useQuery(productQuery);
  const reading = useDoing({
    // Over plain http a browser does not send what kind of resource it requests; this header tells the platform a script from an image.
    run: async () => (await ask.GET('/platform/v1/assessments/{id}/tap-key', { ...path, headers: { accept: 'application/json' } })).data!,
    changes,
    after: ({ key }) => onKey(key),
  });
  const rotating = useDoing({
    run: async () => (await ask.POST('/platform/v1/assessments/{id}/tap-key/rotate', path)).data!,
    changes,
    after: ({ key }) => {
      onKey(key);
      rotation.close();
    },
  });
  const snippet = tapSnippets[language]({ platformUrl: product.data?.platformUrl ?? '', key: shownKey ?? 'svc_tap_…' });
  return (
    <Panel
      title="Set up the tap"
      actions={
        <Group gap="xs" className="no-print">
          {baseline.keyRead || shownKey !== null ? null : (
            <Button size="compact-sm" loading={reading.isPending} onClick={() => reading.mutate(undefined)}>
              Show the tap key
            </Button>
          )}
          {baseline.keyRead ? (
            <Button size="compact-sm" variant="default" onClick={rotation.open}>
              Make another key…
            </Button>
          ) : null}
        </Group>
      }>
      <Stack className="no-print">
        {shownKey === null ? null : <SecretOnce secret={shownKey} name="tap key" />}
        <SegmentedControl
          w="fit-content"
          size="xs"
          aria-label="Language"
          value={language}
          onChange={(next) => setLanguage(next as typeof language)}
          data={[
            { value: 'javascript', label: 'JavaScript' },
            { value: 'python', label: 'Python' },
          ]}
        />
        <CodeBlock name="installation" code={snippet.install} />
        <CodeBlock name="code" code={snippet.code} />
        <Text size="xs" c="dimmed">
          The tap sends token counts, the model's name and how a call ended. Set SVC_TAP_INSPECT=1 to see what it would send, without
          sending it.
        </Text>
      </Stack>
      <Confirm of={rotation} title="Replace the tap key?" act="Make another key" doing={rotating}>
        The old one stops at once. Replace it with the new one in every client that reports.
      </Confirm>
    </Panel>
  );
}
