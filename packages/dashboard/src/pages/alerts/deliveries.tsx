/** The deliveries of one webhook, newest first: their results, numbers of attempts and next retries. */
import { Drawer, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import type { Shown } from '../../api/client.ts';
import { CopyableId } from '../../parts/copying.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Moment } from '../../shown/figures.tsx';
import { deliveriesQuery, webhooksQuery } from './alerts-asks.ts';
import { SendTest } from './send-test.tsx';
import { eventName } from './webhook-events.ts';

type Delivery = Shown<'WebhookDelivery'>;

export function DeliveriesDrawer({ webhook, onClose }: { readonly webhook: string | undefined; readonly onClose: () => void }) {
  return (
    <Drawer opened={webhook !== undefined} onClose={onClose} position="right" size="xl" title="Deliveries">
      {webhook === undefined ? null : <Deliveries id={webhook} />}
    </Drawer>
  );
}

function Deliveries({ id }: { readonly id: string }) {
  const webhooks = useQuery(webhooksQuery);
  const deliveries = useQuery({
    ...deliveriesQuery(id),
    // Often while a delivery is under way, seldom otherwise.
    refetchInterval: ({ state }) => (state.data?.data.some((each) => each.state === 'pending') === true ? 1_000 : 10_000),
  });
  const url = webhooks.data?.data.find((webhook) => webhook.id === id)?.url;
  return (
    <Stack>
      <Group justify="space-between">
        <Text fw={550} className="wrap grow">
          {url ?? ' '}
        </Text>
        <SendTest webhook={id} />
      </Group>
      <Loaded of={deliveries} height={260}>
        {({ data }) =>
          data.length === 0 ? (
            <Nothing icon={ListChecks} title="Nothing was sent yet">
              Send a test, and see the answer of your receiver here.
            </Nothing>
          ) : (
            <DataTable<Delivery> caption="Deliveries" rows={data} rowId={(delivery) => delivery.id} columns={columns} minWidth={620} />
          )
        }
      </Loaded>
      <Text size="xs" c="dimmed">
        The last hundred. A delivery that does not succeed is tried again after 5 seconds, then less and less often, eight times in a day
        and a half.
      </Text>
    </Stack>
  );
}

const columns: readonly Column<Delivery>[] = [
  {
    id: 'event',
    head: 'Event',
    cell: ({ type, messageId }) => (
      <>
        <Text span inherit fw={550}>
          {eventName(type)}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <CopyableId id={messageId} name="webhook-id" />
        </Text>
      </>
    ),
  },
  { id: 'state', card: 'state', head: 'State', sortBy: ({ state }) => state, cell: (delivery) => <DeliveryState of={delivery} /> },
  { id: 'attempts', head: 'Tries', right: true, sortBy: ({ attempts }) => attempts, cell: ({ attempts }) => attempts },
  { id: 'made', card: 'under', head: 'Raised', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  {
    id: 'last',
    head: 'Last try, next',
    cell: ({ lastAttemptAt, nextAttemptAt }) => (
      <>
        <Moment at={lastAttemptAt} none="not yet" />
        {nextAttemptAt === null ? null : (
          <Text size="xs" c="dimmed" component="div">
            again <Moment at={nextAttemptAt} relative />
          </Text>
        )}
      </>
    ),
  },
];

const states = {
  delivered: { words: 'Delivered', means: 'good' },
  pending: { words: 'On its way', means: 'warn' },
  failed: { words: 'Given up', means: 'bad' },
} as const;

function DeliveryState({ of: { state, status, error } }: { readonly of: Delivery }) {
  const { words, means } = states[state];
  return (
    <>
      <StateBadge means={means}>{words}</StateBadge>
      <Text size="xs" c="dimmed" className="wrap" component="div">
        {status === null ? error : `answered ${status}`}
      </Text>
    </>
  );
}
