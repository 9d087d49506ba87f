/** The columns of the list of calls. */
import { Badge, Group, Text, Tooltip } from '@mantine/core';
import type { Column } from '../../parts/data-table.tsx';
import { shortMs } from '../../shown/amounts.ts';
import { outcomeName, verdictOf, type CallRecord } from '../../shown/call-record.ts';
import { Count, Money, Moment } from '../../shown/figures.tsx';
import type { KeyNames } from '../../shown/key-names.ts';

export function callColumns(names: KeyNames): readonly Column<CallRecord>[] {
  return [
    { id: 'at', head: 'When', cell: (call) => <Moment at={call.startedAt} /> },
    {
      id: 'model',
      head: 'Model',
      cell: (call) => (
        <>
          <Text span inherit fw={550} className="wrap">
            {call.model ?? '–'}
          </Text>
          <Text span size="xs" c="dimmed" display="block">
            {call.endpoint}
            {call.streamed ? ', streamed' : ''}
          </Text>
        </>
      ),
    },
    { id: 'cost', head: 'Cost', right: true, cell: (call) => <Cost of={call} /> },
    { id: 'tokens', head: 'Tokens in / out', right: true, cell: (call) => <Tokens of={call} /> },
    {
      id: 'time',
      head: 'Time',
      right: true,
      cell: (call) => <span className="nowrap">{call.durationMs === null ? '–' : shortMs(call.durationMs)}</span>,
    },
    { id: 'status', head: 'Ended', cell: (call) => <CallState of={call} /> },
    { id: 'key', head: 'Key', cell: (call) => <span className="wrap">{names.get(call.key) ?? call.key}</span> },
    { id: 'for', head: 'Project, labels', cell: (call) => <Attribution of={call} /> },
  ];
}

function Attribution({ of: { project, labels, run } }: { readonly of: CallRecord }) {
  const shown = labels.slice(0, 2);
  return (
    <Group gap={4} maw={150}>
      {project === null ? null : (
        <Text span size="sm" className="clip">
          {project}
        </Text>
      )}
      {shown.map((label) => (
        <Badge key={label} size="sm" variant="default" tt="none" fw={500} maw={120} className="may-clip">
          {label}
        </Badge>
      ))}
      {labels.length > shown.length ? (
        <Text span size="xs" c="dimmed">
          +{labels.length - shown.length}
        </Text>
      ) : null}
      {run === null ? null : (
        <Text span size="xs" c="dimmed" className="clip">
          run {run}
        </Text>
      )}
      {project === null && labels.length === 0 && run === null ? (
        <Text span c="dimmed">
          –
        </Text>
      ) : null}
    </Group>
  );
}

export function CallState({ of: call }: { readonly of: CallRecord }) {
  const verdict = verdictOf(call);
  const color = { good: 'green', warn: 'yellow', bad: 'red' }[verdict];
  return (
    <Badge variant="light" color={color} c={`var(--${verdict})`}>
      {call.outcome === 'completed' ? call.status : outcomeName(call.outcome)}
    </Badge>
  );
}

function Tokens({ of: call }: { readonly of: CallRecord }) {
  if (call.usage === 'none') {
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    );
  }
  if (call.inputTokens === null && call.outputTokens === null) {
    return (
      <Text span inherit className="warn">
        unknown
      </Text>
    );
  }
  return (
    <span className="nowrap">
      <Count of={call.inputTokens} /> / <Count of={call.outputTokens} />
    </span>
  );
}

function Cost({ of: call }: { readonly of: CallRecord }) {
  if (call.cost !== null) {
    return (
      <>
        <Money amount={call.cost} />
        {(call.costGaps?.length ?? 0) === 0 ? null : (
          <Text span className="warn" title="Something in it has no price">
            {' '}
            +?
          </Text>
        )}
      </>
    );
  }
  if (call.costSource === 'unpriced') {
    return (
      <Tooltip label="No price is known for this model">
        <Text span inherit className="warn">
          unpriced
        </Text>
      </Tooltip>
    );
  }
  return (
    <Text span inherit c="dimmed">
      {call.usage === 'none' ? '–' : 'unknown'}
    </Text>
  );
}
