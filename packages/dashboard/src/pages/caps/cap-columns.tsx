/** The columns of the table of caps. */
import { Group, Tooltip } from '@mantine/core';
import { ask, type Shown } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { useDoing } from '../../parts/doing.ts';
import { RowButton } from '../../parts/named-by-row.tsx';
import { Moment } from '../../shown/figures.tsx';
import type { KeyNames } from '../../shown/key-names.ts';
import { capAnswer, CapBadge, CapSubject, Spent } from './cap-facts.tsx';
import { CapForecast } from './cap-forecast.tsx';
import { share } from './cap-share.ts';

type Cap = Shown<'Cap'>;

export function capColumns(names: KeyNames, onEdit: (cap: Cap) => void): readonly Column<Cap>[] {
  return [
    { id: 'subject', head: 'Of', sortBy: (cap) => cap.scope, cell: (cap) => <CapSubject cap={cap} names={names} /> },
    { id: 'window', card: 'under', head: 'Window', sortBy: (cap) => cap.window, cell: (cap) => cap.window },
    { id: 'spent', card: 'wide', head: 'Spent of limit', sortBy: (cap) => share(cap), cell: (cap) => <Spent of={cap} /> },
    { id: 'state', card: 'state', head: 'State', cell: (cap) => <ToldState of={cap} /> },
    { id: 'forecast', head: 'Will be reached', sortBy: (cap) => cap.forecastAt ?? '9', cell: (cap) => <CapForecast of={cap} /> },
    { id: 'resets', head: 'Starts again', cell: (cap) => <Moment at={cap.resetsAt} none="never" relative /> },
    { id: 'actions', head: '', right: true, cell: (cap) => <CapActions of={cap} onEdit={() => onEdit(cap)} /> },
  ];
}

/** What the state means, under the pointer and on focus. */
function ToldState({ of: cap }: { readonly of: Cap }) {
  return (
    <Tooltip label={capAnswer(cap)} multiline maw={260}>
      <span tabIndex={0}>
        <CapBadge of={cap} />
      </span>
    </Tooltip>
  );
}

function CapActions({ of: cap, onEdit }: { readonly of: Cap; readonly onEdit: () => void }) {
  const may = useMay('admin');
  const removal = useQuestion();
  const removing = useDoing({
    run: () => ask.DELETE('/platform/v1/caps/{id}', { params: { path: { id: cap.id } } }),
    done: 'The cap is removed.',
    changes: ['/platform/v1/caps'],
    after: removal.close,
  });
  if (!may) return null;
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <RowButton onClick={onEdit}>Change</RowButton>
      <RowButton variant="subtle" color="red" c="var(--bad)" onClick={removal.open}>
        Remove…
      </RowButton>
      <Confirm of={removal} title="Remove this cap?" act="Remove" doing={removing}>
        The cap no longer applies to calls. Spend is still counted, so a new cap knows it.
      </Confirm>
    </Group>
  );
}
