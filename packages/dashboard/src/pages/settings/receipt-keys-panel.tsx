/** The keys that sign receipts: shown so that they can be kept in a trusted place, and rotated. */
import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { CodeBlock } from '../../parts/copying.tsx';
import { useDoing } from '../../parts/doing.ts';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { receiptKeysQuery } from './settings-asks.ts';

export function ReceiptKeysPanel() {
  const admin = useMay('admin');
  const rotation = useQuestion();
  const keys = useQuery(receiptKeysQuery);
  const rotating = useDoing({
    run: () => ask.POST('/platform/v1/receipt-keys/rotate'),
    done: 'Another key signs receipts from now on. Both keys say that it follows.',
    changes: ['/platform/v1/receipt-keys'],
    after: rotation.close,
  });
  return (
    <Panel
      title="Receipt keys"
      about="Keep this key in a place that you trust, and you can verify receipts with it, whatever happens to this store.">
      <Loaded of={keys} height={130}>
        {(data) =>
          data.pem === null ? (
            <Text size="sm" c="dimmed">
              There is no key yet. The first call creates one.
            </Text>
          ) : (
            <Stack>
              <CodeBlock code={data.pem.trim()} name="public key" />
              <Text size="sm" c="dimmed">
                Key <span className="mono wrap">{data.key}</span>, the {data.count === 1 ? 'only one so far' : `last of ${data.count}`}.
              </Text>
              {admin ? (
                <div>
                  <Button variant="default" onClick={rotation.open}>
                    Sign with another key…
                  </Button>
                </div>
              ) : null}
            </Stack>
          )
        }
      </Loaded>
      <Confirm of={rotation} title="Sign with another key?" act="Sign with another key" doing={rotating}>
        Receipts from now on are signed by a new key, and the private part of the one in use is destroyed. Whoever trusts the old key trusts the
        new one, since both sign that it follows.
      </Confirm>
    </Panel>
  );
}
