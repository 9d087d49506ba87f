/** The columns of the list of calls. */
import { Fragment } from 'react';
import type { Column } from '../../parts/data-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { shortMs } from '../../shown/amounts.ts';
import { outcomeName, callVerdict, type ShownCall } from '../../shown/call-record.ts';
import { Count, Money, MomentInTwo } from '../../shown/figures.tsx';
import type { KeyNames } from '../../shown/key-names.ts';

/** Two lines per call, so that a page of calls can be scanned. */
export function callListColumns(names: KeyNames): readonly Column<ShownCall>[] {
  return [
    { id: 'at', card: 'under', head: 'When', width: '8.5rem', cell: (call) => <MomentInTwo at={call.startedAt} /> },
    {
      id: 'model',
      card: 'lead',
      head: 'Model',
      width: '13.5rem',
      cell: ({ model, endpoint, streamed, transport }) => (
        <>
          <div className="strong" title={model ?? undefined}>
            {model ?? '–'}
          </div>
          <div className="dim small">
            {endpoint}
            {transport === 'websocket' ? ', WebSocket' : streamed ? ', streamed' : ''}
          </div>
        </>
      ),
    },
    { id: 'cost', card: 'money', head: 'Cost', right: true, width: '7rem', cell: (call) => <Cost of={call} /> },
    { id: 'tokens', head: 'Tokens in / out', right: true, width: '8.5rem', cell: (call) => <Tokens of={call} /> },
    {
      id: 'status',
      card: 'state',
      head: 'Ended, after',
      width: '8rem',
      cell: (call) => (
        <>
          <CallState of={call} />
          <div className="dim small">{call.durationMs === null ? '–' : shortMs(call.durationMs)}</div>
        </>
      ),
    },
    { id: 'key', head: 'Key, project', cell: (call) => <Caller of={call} name={names.get(call.key) ?? call.key} /> },
    { id: 'labels', head: 'Labels, run', cell: (call) => <Purpose of={call} /> },
  ];
}

function Caller({ of: { project }, name }: { readonly of: ShownCall; readonly name: string }) {
  return (
    <>
      <div title={name}>{name}</div>
      {project === null ? null : (
        <div className="dim small" title={project}>
          {project}
        </div>
      )}
    </>
  );
}

function Purpose({ of: { labels, run } }: { readonly of: ShownCall }) {
  if (labels.length === 0 && run === null) return <span className="dim">–</span>;
  return (
    <>
      {labels.length === 0 ? null : (
        <div title={labels.join(', ')}>
          {labels.map((label, at) => <Fragment key={label}>{at === 0 ? '' : ', '}<bdi>{label}</bdi></Fragment>)}
        </div>
      )}
      {run === null ? null : (
        <div className="dim small" title={run}>
          run <bdi>{run}</bdi>
        </div>
      )}
    </>
  );
}

export function CallState({ of: call }: { readonly of: ShownCall }) {
  return <StateBadge means={callVerdict(call)}>{call.outcome === 'completed' ? call.status : outcomeName(call.outcome)}</StateBadge>;
}

function Tokens({ of: { usage, inputTokens, outputTokens } }: { readonly of: ShownCall }) {
  if (usage === 'none') return <span className="dim">–</span>;
  if (inputTokens === null && outputTokens === null) return <span className="warn">unknown</span>;
  return (
    <>
      <Count of={inputTokens} /> / {outputTokens === null ? <span className="dim">–</span> : <Count of={outputTokens} />}
    </>
  );
}

function Cost({ of: { cost, costGaps, costSource, usage } }: { readonly of: ShownCall }) {
  if (cost !== null) {
    return (
      <>
        <Money amount={cost} />
        {(costGaps?.length ?? 0) === 0 ? null : (
          <span className="warn" title="Something in it has no price">
            {' '}
            +?
          </span>
        )}
      </>
    );
  }
  if (costSource === 'unpriced') {
    return (
      <span className="warn" title="No price is known for this model">
        unpriced
      </span>
    );
  }
  return <span className="dim">{usage === 'none' ? '–' : 'unknown'}</span>;
}
