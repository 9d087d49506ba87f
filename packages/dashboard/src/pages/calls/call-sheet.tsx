/** One call: when and for whom, how long it took, what it used and how its cost was computed. */
import type { ReactNode } from 'react';
import { Badge, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CopyableId } from '../../parts/copying.tsx';
import { Facts, SheetPart } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/states.tsx';
import { shortBytes, shortMs } from '../../shown/amounts.ts';
import { outcomeName, spoken, type ShownCall } from '../../shown/call-record.ts';
import { Moment } from '../../shown/figures.tsx';
import { useKeyNames } from '../../shown/key-names.ts';
import { CallState } from './call-columns.tsx';
import { CallCost } from './call-cost.tsx';
import { CallReceipt } from './call-receipt.tsx';
import { callQuery } from './calls-asks.ts';

export function CallSheet({ id, known }: { readonly id: string; readonly known: ShownCall | undefined }) {
  const call = useQuery({ ...callQuery(id), initialData: known });
  return (
    <Loaded of={call} height={480}>
      {(data) => <CallFacts call={data} />}
    </Loaded>
  );
}

/** Nothing for calls over HTTP. */
function transportFacts({ id, transport, connection }: ShownCall): (readonly [string, ReactNode])[] {
  if (transport !== 'websocket') return [];
  const responses = (
    <Link key="responses" to="/calls" search={{ connection: connection ?? id }}>
      All of this connection
    </Link>
  );
  return connection === null
    ? [['Transport', 'WebSocket connection'], ['Responses', responses]]
    : [
        ['Transport', 'WebSocket'],
        ['Connection', <CopyableId key="connection" id={connection} name="connection's request id" />],
        ['Responses', responses],
      ];
}

function SessionLink({ session }: { readonly session: string | null }) {
  if (session === null) return '–';
  return (
    <Link to="/calls" search={{ session }} className="wrap">
      {session}
    </Link>
  );
}

function CallFacts({ call }: { readonly call: ShownCall }) {
  const names = useKeyNames();
  return (
    <Stack gap="lg">
      <div>
        <Group gap="xs">
          <Title order={2} className="wrap">
            {call.model ?? call.requestedModel ?? 'No model'}
          </Title>
          <CallState of={call} />
        </Group>
        <Text size="sm" c="dimmed">
          <Moment at={call.startedAt} /> · {call.method} {call.path}
        </Text>
      </div>
      <SheetPart title="Time">
        <Timing call={call} />
      </SheetPart>
      <SheetPart title="Tokens and cost">
        <CallCost call={call} />
      </SheetPart>
      <SheetPart title="Receipt">
        <CallReceipt key={call.id} call={call} />
      </SheetPart>
      <SheetPart title="Attribution">
        <Facts
          rows={[
            [
              'Key',
              <Link key="key" to="/calls" search={{ key: call.key }} className="wrap">
                {names.get(call.key) ?? call.key}
              </Link>,
            ],
            [
              'Project',
              call.project === null ? (
                '–'
              ) : (
                <Link key="project" to="/calls" search={{ project: call.project }} className="wrap">
                  {call.project}
                </Link>
              ),
            ],
            [
              'Labels',
              call.labels.length === 0 ? (
                '–'
              ) : (
                <Group key="labels" gap={4}>
                  {call.labels.map((label) => (
                    <Badge key={label} variant="default" tt="none" fw={500}>
                      {label}
                    </Badge>
                  ))}
                </Group>
              ),
            ],
            ...(call.labelsDropped > 0 ? [['Labels dropped', String(call.labelsDropped)] as const] : []),
            ['Session', <SessionLink key="session" session={call.session} />],
            [
              'Run',
              call.run === null ? (
                '–'
              ) : (
                <Link key="run" to="/runs" search={{ run: call.run }} className="wrap">
                  {call.run}
                </Link>
              ),
            ],
          ]}
        />
      </SheetPart>
      <SheetPart title="Exchange">
        <Facts
          rows={[
            ['Ended', `${outcomeName(call.outcome)}${call.status === null ? '' : `, status ${call.status}`}`],
            ['Model asked for', call.requestedModel ?? '–'],
            ['Model that answered', call.model ?? 'not named'],
            ['Finish reason', call.finishReason ?? '–'],
            ['Wire and endpoint', `${call.wire}, ${call.endpoint}${call.streamed ? ', streamed' : ''}`],
            ['Request, response', `${shortBytes(call.requestBytes)}, ${shortBytes(call.responseBytes)}`],
            ['Usage', `${spoken(call.usage)}${call.usageReason === null ? '' : `: ${spoken(call.usageReason)}`}`],
            ...transportFacts(call),
            ...(call.works.length === 0 ? [] : [['Work', call.works.join(', ')] as const]),
            ...(call.settles === null ? [] : [['Settles', <CopyableId key="settles" id={call.settles} name="settled call's request id" />] as const]),
            ...(call.settledBy === null ? [] : [['Settled by', <CopyableId key="settledBy" id={call.settledBy} name="settlement's id" />] as const]),
            ['Request id', <CopyableId key="id" id={call.id} name="request id" />],
            [
              "Provider's id",
              call.providerRequestId === null ? (
                '–'
              ) : (
                <CopyableId key="provider" id={call.providerRequestId} name="provider's request id" />
              ),
            ],
            [
              'Node',
              <span key="node" className="mono wrap">
                {call.node}
              </span>,
            ],
          ]}
        />
      </SheetPart>
    </Stack>
  );
}

/** Time until the first byte, and from there to the end. */
function Timing({ call: { firstByteMs, durationMs } }: { readonly call: ShownCall }) {
  if (durationMs === null) {
    return (
      <Text size="sm" c="dimmed">
        It was interrupted; how long it took is not known.
      </Text>
    );
  }
  const first = firstByteMs ?? durationMs;
  const part = durationMs === 0 ? 100 : (first / durationMs) * 100;
  return (
    <div>
      <Progress.Root size="lg" aria-hidden>
        <Progress.Section value={part} color="tide.3" />
        <Progress.Section value={100 - part} color="tide.8" />
      </Progress.Root>
      <Group justify="space-between" mt={4}>
        <Text size="sm">
          {firstByteMs === null ? (
            'No byte of an answer'
          ) : (
            <>
              First byte after <b>{shortMs(firstByteMs)}</b>
            </>
          )}
        </Text>
        <Text size="sm">
          Whole in <b>{shortMs(durationMs)}</b>
        </Text>
      </Group>
    </div>
  );
}
