/** The organization's webhooks: create, test and remove them; a click leads to the deliveries of one. */
import { ActionIcon, Badge, Button, Group, Menu, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Ellipsis, ListChecks, Plus, Trash2, Webhook as WebhookIcon } from 'lucide-react';
import { useMemo, useState } from 'react';
import { ask, type Shown } from '../../api/client.ts';
import type { PathSearch } from '../../app/page-search.ts';
import { useMay } from '../../app/session.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { SecretOnce } from '../../parts/copying.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useDoing } from '../../parts/doing.ts';
import { Panel } from '../../parts/page.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { Moment } from '../../shown/figures.tsx';
import { webhooksQuery } from './alerts-asks.ts';
import { SendTest } from './send-test.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { eventName } from './webhook-events.ts';

type Webhook = Shown<'Webhook'>;
type Open = (to: PathSearch) => void;

export function WebhooksPanel({ search, open }: { readonly search: PathSearch; readonly open: Open }) {
  const may = useMay('admin');
  const [secret, setSecret] = useState<string | null>(null);
  const webhooks = useQuery(webhooksQuery);
  const shownColumns = useMemo(() => columns(open), []);
  const add = may ? (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => open({ new: 'webhook' })}>
      New webhook
    </Button>
  ) : null;
  return (
    <Panel flush title="Webhooks" actions={webhooks.data?.data.length === 0 ? null : add}>
      <Loaded of={webhooks} height={180}>
        {({ data }) =>
          data.length === 0 ? (
            <Nothing icon={WebhookIcon} title="No webhook yet" action={add}>
              A webhook is an address of yours that events are posted to, signed as Standard Webhooks: your incident tool, your chat, your own
              service.
            </Nothing>
          ) : (
            <DataTable<Webhook>
              caption="Webhooks"
              rows={data}
              rowId={(webhook) => webhook.id}
              columns={shownColumns}
              minWidth={680}
              onOpen={(webhook) => open({ id: webhook.id })}
            />
          )
        }
      </Loaded>
      <Modal opened={may && search.new === 'webhook'} onClose={() => open({})} title="New webhook" size="lg">
        <WebhookForm
          onMade={(made) => {
            setSecret(made);
            open({});
          }}
        />
      </Modal>
      <Modal opened={secret !== null} onClose={() => setSecret(null)} title="Signing secret" size="lg" closeOnClickOutside={false}>
        {secret === null ? null : <SecretOnce secret={secret} name="signing secret" />}
        <Text size="sm" mt="md">
          Give it to the library of <span className="mono">standardwebhooks</span> in your receiver, which then knows that an event is from
          here. Then send a test.
        </Text>
      </Modal>
    </Panel>
  );
}

function columns(open: Open): readonly Column<Webhook>[] {
  return [
    {
      id: 'url',
      head: 'Address',
      sortBy: ({ url }) => url,
      cell: ({ url }) => (
        <Text span inherit fw={550} className="wrap">
          {url}
        </Text>
      ),
    },
    {
      id: 'events',
      head: 'Events',
      cell: ({ events }) =>
        events === null ? (
          'Everything'
        ) : (
          <Group gap={4} maw={340}>
            {events.map((event) => (
              <Badge key={event} variant="default" tt="none" fw={500} className="may-wrap">
                {eventName(event)}
              </Badge>
            ))}
          </Group>
        ),
    },
    { id: 'made', head: 'Made', sortBy: ({ createdAt }) => createdAt, cell: ({ createdAt }) => <Moment at={createdAt} relative /> },
    { id: 'menu', head: '', right: true, cell: (webhook) => <WebhookActions of={webhook} open={open} /> },
  ];
}

function WebhookActions({ of: { id, url }, open }: { readonly of: Webhook; readonly open: Open }) {
  const may = useMay('admin');
  const removal = useQuestion();
  const params = { params: { path: { id } } };
  const removing = useDoing({
    run: () => ask.DELETE('/platform/v1/webhooks/{id}', params),
    done: 'The webhook is removed.',
    changes: ['/platform/v1/webhooks'],
    after: removal.close,
  });
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <SendTest webhook={id} onSent={() => open({ id })} />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`What to do with ${url}`}>
            <Ellipsis size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<ListChecks size={14} aria-hidden />} onClick={() => open({ id })}>
            Its deliveries
          </Menu.Item>
          {may ? (
            <Menu.Item color="red" leftSection={<Trash2 size={14} aria-hidden />} onClick={removal.open}>
              Remove…
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <Confirm of={removal} title="Remove this webhook?" act="Remove" doing={removing}>
        <b className="wrap">{url}</b> gets no more events. Pending deliveries and the delivery log are deleted with it.
      </Confirm>
    </Group>
  );
}
