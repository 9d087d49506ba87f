/** Button that sends a test delivery; hidden without permission. */
import { Send } from 'lucide-react';
import { ask } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { useDoing } from '../../parts/doing.ts';
import { RowButton } from '../../parts/named-by-row.tsx';

export function SendTest({ webhook, onSent }: { readonly webhook: string; readonly onSent?: () => void }) {
  const may = useMay('admin');
  const testing = useDoing({
    run: () => ask.POST('/platform/v1/webhooks/{id}/test', { params: { path: { id: webhook } } }),
    changes: ['/platform/v1/webhooks'],
    ...(onSent === undefined ? {} : { after: onSent }),
  });
  if (!may) return null;
  return (
    <RowButton
      leftSection={<Send size={14} aria-hidden />}
      loading={testing.isPending}
      onClick={() => testing.mutate(undefined)}>
      Send a test
    </RowButton>
  );
}
