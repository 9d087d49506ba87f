/** Budgets in force in a month: what calls are meant to cost, what they did, and what is expected at its end. They refuse nothing. */
import { Autocomplete, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { ask, type Shown } from '../../api/client.ts';
import { wholeListQuery } from '../../api/whole-list.ts';
import { useMay } from '../../app/session.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useDoing } from '../../parts/doing.ts';
import { DollarsInput } from '../../parts/dollars-input.tsx';
import { useSharedForm } from '../../parts/shared-form.tsx';
import { RowButton } from '../../parts/named-by-row.tsx';
import { Panel } from '../../parts/page.tsx';
import { SpentBar } from '../../parts/spent-bar.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Submit } from '../../parts/submit.tsx';
import { dollarsToSend, percent, plainDecimal } from '../../shown/amounts.ts';
import { choicesOf } from '../../shown/choices.ts';
import { Money } from '../../shown/figures.tsx';
import { monthTitle } from '../../shown/months.ts';
import { budgetsQuery } from './month-asks.ts';

type Budget = Shown<'MonthBudget'>;
const path = '/platform/v1/month-budgets';

const scopes = {
  organization: 'The whole organization',
  project: 'One project',
  person: 'One person, all their keys',
  label: 'One label',
} satisfies Record<Budget['scope'], string>;

const states = {
  within: { means: 'good', word: 'Within' },
  over_expected: { means: 'warn', word: 'More is expected' },
  spent: { means: 'bad', word: 'Spent' },
} as const satisfies Record<Budget['state'], unknown>;

export function BudgetsPanel({ month }: { readonly month: string }) {
  const admin = useMay('admin');
  const [opened, form] = useDisclosure(false);
  const [changed, setChanged] = useState<Budget | null>(null);
  const open = (budget: Budget | null): void => {
    setChanged(budget);
    form.open();
  };
  const budgets = useQuery(budgetsQuery(month));
  const add = admin ? (
    <Button size="xs" variant="default" leftSection={<Plus size={14} aria-hidden />} onClick={() => open(null)}>
      Set a budget
    </Button>
  ) : undefined;
  return (
    <Panel
      flush
      title="Budgets"
      about={`What calls of ${monthTitle(month)} are meant to cost. A budget tells; it refuses nothing.`}
      actions={add}>
      <Loaded of={budgets} height={140}>
        {({ data }) =>
          data.length === 0 ? (
            <Text size="sm" c="dimmed" px="md" py="sm">
              No budget for this month. Webhooks are notified when one is spent, or likely to be.
            </Text>
          ) : (
            <DataTable<Budget>
              caption="Budgets"
              rows={data}
              rowId={({ id }) => id}
              columns={admin ? [...columns, actionsOf(open)] : columns}
              minWidth={780}
            />
          )
        }
      </Loaded>
      <Modal opened={opened} onClose={form.close} title={changed === null ? 'Set a budget' : 'Change the budget'} size="lg">
        <BudgetForm month={month} budget={changed} onDone={form.close} />
      </Modal>
    </Panel>
  );
}

/** A budget as the form has it. One that is not there yet has no amount. */
type BudgetToSet = Pick<Budget, 'scope' | 'subject' | 'everyMonth'> & { readonly amount: string | null; readonly at: readonly number[] | null };
type BudgetEntered = { scope: Budget['scope']; subject: string; every: string; amount: number | string };
const newBudget: BudgetToSet = { scope: 'organization', subject: null, everyMonth: true, amount: null, at: null };

/** Emails are kept in lower case. */
function placeOf({ scope, subject }: BudgetEntered) {
  const named = scope === 'person' ? subject.trim().toLowerCase() : subject.trim();
  return { scope, subject: scope === 'organization' ? null : named };
}

interface BudgetFormProps {
  readonly month: string;
  /** The one that is changed; null: a new one is set. */
  readonly budget: Budget | null;
  readonly onDone: () => void;
}

function BudgetForm({ month, budget, onDone }: BudgetFormProps) {
  const { form, saving, submit, conflict } = useSharedForm<BudgetToSet, BudgetEntered>({
    of: budget ?? newBudget,
    entered: ({ scope, subject, everyMonth, amount }) => ({
      scope, subject: subject ?? '', every: everyMonth ? 'every' : 'this', amount: amount === null ? '' : plainDecimal(amount),
    }),
    words: { scope: 'Of', subject: 'What', every: 'For', amount: 'Amount' },
    validate: ({ amount, subject, scope }) => ({
      ...(String(amount) === '' ? { amount: 'Say how much.' } : {}),
      ...(scope !== 'organization' && subject.trim() === '' ? { subject: 'Say which one.' } : {}),
    }),
    send: (values, { amount, at }) =>
      ask.POST(path, {
        body: {
          ...placeOf(values), month: values.every === 'every' ? null : month, amount: dollarsToSend(values.amount),
          at: [...(at ?? [80, 100])], was: amount === null ? null : { amount, at },
        },
      }),
    read: async (values) => {
      const { scope, subject } = placeOf(values);
      const { data } = await ask.GET(path, { params: { query: { month, limit: 1_000 } } });
      return data!.data.find((each) => each.scope === scope && each.subject === subject && each.everyMonth === (values.every === 'every'))
        ?? newBudget;
    },
    done: 'The budget is set.',
    changes: [path, '/platform/v1/audit'],
    after: onDone,
  });
  const { scope } = form.values;
  const isThere = budget !== null;
  const seen = useQuery({
    ...wholeListQuery('/platform/v1/usage', { by: scope === 'label' ? 'label' : 'project', month }),
    enabled: scope === 'label' || scope === 'project',
  });
  const members = useQuery({ ...wholeListQuery('/platform/v1/members'), enabled: scope === 'person' });
  const known = scope === 'person' ? members.data?.data.map(({ email }) => email)
    : seen.data?.data.flatMap((row) => (scope === 'label' ? row.label : row.project) ?? []);
  return (
    <form onSubmit={submit}>
      <Stack>
        <Select
          label="Of"
          data={choicesOf(scopes)}
          allowDeselect={false}
          disabled={isThere}
          data-autofocus={!isThere}
          {...form.getInputProps('scope')}
        />
        {scope === 'organization' ? null : (
          <Autocomplete
            label={scope === 'project' ? 'Project' : scope === 'label' ? 'Label' : 'Email'}
            data={[...new Set(known ?? [])]}
            limit={50}
            maxLength={512}
            disabled={isThere}
            {...form.getInputProps('subject')}
          />
        )}
        <DollarsInput label="Amount, US dollars" data-autofocus={isThere} {...form.getInputProps('amount')} />
        <Select
          label="For"
          allowDeselect={false}
          disabled={isThere}
          data={[{ value: 'every', label: 'Every month without one of its own' }, { value: 'this', label: `${monthTitle(month)} alone` }]}
          {...form.getInputProps('every')}
        />
        <Text size="xs" c="dimmed">
          Webhooks are notified at 80 and 100 percent, and when more is expected.
        </Text>
        {conflict}
        <Submit busy={saving}>{isThere ? 'Change the budget' : 'Set the budget'}</Submit>
      </Stack>
    </form>
  );
}

const columns: readonly Column<Budget>[] = [
  {
    id: 'of',
    head: 'Of',
    sortBy: ({ subject }) => subject ?? '',
    cell: ({ scope, subject, everyMonth }) => (
      <>
        <div className="strong wrap">{subject ?? 'The organization'}</div>
        <div className="dim small">
          {subject === null ? '' : `${scope}, `}
          {everyMonth ? 'every month' : 'this month alone'}
        </div>
      </>
    ),
  },
  { id: 'state', card: 'state', head: 'State', cell: ({ state }) => <StateBadge means={states[state].means}>{states[state].word}</StateBadge> },
  { id: 'spent', card: 'money', head: 'Spent', right: true, sortBy: ({ spent }) => Number(spent), cell: ({ spent }) => <Money amount={spent} /> },
  {
    id: 'amount',
    head: 'Budget',
    sortBy: ({ amount }) => Number(amount),
    cell: ({ amount, spent, state }) => {
      const part = Number(amount) === 0 ? 1 : Number(spent) / Number(amount);
      return (
        <div style={{ minWidth: 130 }}>
          <Money amount={amount} /> <span className="dim small">{percent(Number(spent), Number(amount))}</span>
          <SpentBar below part={part} label="Spent of the budget" color={state === 'spent' ? 'red' : state === 'over_expected' ? 'yellow' : 'tide'} />
        </div>
      );
    },
  },
  { id: 'expected', head: 'Expected at the end', right: true, cell: ({ expected }) => <Money amount={expected} none="–" /> },
  { id: 'left', head: 'Left', right: true, cell: ({ left }) => <Money amount={left} /> },
];

function actionsOf(onChange: (budget: Budget) => void): Column<Budget> {
  return {
    id: 'actions',
    head: '',
    right: true,
    cell: (budget) => (
      <Group gap={6} justify="flex-end" wrap="nowrap">
        <RowButton onClick={() => onChange(budget)}>Change</RowButton>
        <Remove of={budget} />
      </Group>
    ),
  };
}

function Remove({ of: { id } }: { readonly of: Budget }) {
  const doing = useDoing({
    run: () => ask.DELETE('/platform/v1/month-budgets/{id}', { params: { path: { id } } }),
    done: 'The budget is removed.',
    changes: [path, '/platform/v1/audit'],
  });
  return (
    <RowButton variant="subtle" color="red" c="var(--bad)" loading={doing.isPending} onClick={() => doing.mutate(undefined)}>
      Remove
    </RowButton>
  );
}
