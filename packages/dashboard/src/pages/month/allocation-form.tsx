/** The rules by which months are allocated to teams: set as a whole, tried on the month of the page before that. */
import { Button, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { Plus } from 'lucide-react';
import { ask } from '../../api/client.ts';
import { useDoing } from '../../parts/doing.ts';
import { useSharedForm } from '../../parts/shared-form.tsx';
import { monthTitle } from '../../shown/months.ts';
import {
  allocationOf, enteredOf, newRule, payerSaid, ruleSaid, twiceIn, type AccountEntered, type AllocationEntered, type Rules, type RuleEntered,
} from './allocation-entered.ts';
import { TriedRules } from './allocation-trial.tsx';
import { PayerInput, RuleInput } from './rule-input.tsx';

const path = '/platform/v1/allocation';

interface AllocationFormProps {
  readonly of: Rules;
  readonly month: string;
  readonly onDone: () => void;
}

export function AllocationForm({ of, month, onDone }: AllocationFormProps) {
  const { form, saving, submit, conflict } = useSharedForm<Rules, AllocationEntered>({
    of,
    entered: enteredOf,
    words: {
      rules: 'Rules', rest: 'All other calls', markup: 'Markup', code: 'Currency', rate: 'Rate', date: 'Date of the rate', accounts: 'Accounts',
    },
    said: (name, { rules, rest, accounts }) => name === 'rules' ? rules.map(ruleSaid).join('; ') : name === 'rest' ? payerSaid(rest)
      : name === 'accounts' ? accounts.map(({ team, account, costCentre }) => [team, account, costCentre].join(' ')).join('; ') : undefined,
    validate: ({ rules, rest }) => {
      const twice = [...rules.map(({ payer }) => payer), rest].map(({ parts }) => twiceIn(parts)).find((each) => each !== null) ?? null;
      return twice === null ? {} : { rules: twiceSaid(twice) };
    },
    send: (values, { hash }) => ask.PUT(path, { body: { ...allocationOf(values), was: hash === null ? null : { hash } } }),
    read: async () => (await ask.GET(path)).data!,
    done: 'The rules are set. Closed months keep theirs.',
    changes: [path, '/platform/v1/months', '/platform/v1/audit'],
    after: onDone,
  });
  const { values } = form;
  const { rules, rest, accounts } = values;
  const trying = useDoing({
    run: async () => {
      const { data } = await ask.POST('/platform/v1/allocation/try', { body: { month, allocation: allocationOf(values) } });
      return { values, trial: data! };
    },
    changes: [],
  });
  // What was tried says nothing of rules that were changed since.
  const tried = trying.data?.values === values ? trying.data.trial : null;
  return (
    <form onSubmit={submit}>
      <Stack>
        <RulesInput value={rules} onChange={(value) => form.setFieldValue('rules', value)} />
        <PayerInput label="All other calls" value={rest} ofRest onChange={(value) => form.setFieldValue('rest', value)} />
        <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs">
          <TextInput label="Markup, percent" placeholder="none" inputMode="decimal" maxLength={10} {...form.getInputProps('markup')} />
          <TextInput label="Currency" placeholder="EUR" maxLength={3} {...form.getInputProps('code')} />
          <TextInput label="What a dollar is in it" placeholder="0.9137" inputMode="decimal" maxLength={20} {...form.getInputProps('rate')} />
          <TextInput label="On" type="date" {...form.getInputProps('date')} />
        </SimpleGrid>
        <AccountsInput value={accounts} onChange={(value) => form.setFieldValue('accounts', value)} />
        {form.errors['rules'] === undefined ? null : <Text size="sm" role="alert" className="bad">{form.errors['rules']}</Text>}
        {tried === null ? null : <TriedRules of={tried} />}
        {conflict}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" loading={trying.isPending} onClick={() => trying.mutate(undefined)}>
            Try them on {monthTitle(month)}
          </Button>
          <Button type="submit" loading={saving}>
            Set the rules
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function twiceSaid(team: string): string {
  return `${team === '' ? 'A team without a name' : team} stands twice in one split.`;
}

interface RulesInputProps {
  readonly value: readonly RuleEntered[];
  readonly onChange: (value: readonly RuleEntered[]) => void;
}

function RulesInput({ value, onChange }: RulesInputProps) {
  return (
    <Stack gap="xs">
      <div>
        <Title order={3} fz="sm">
          Rules
        </Title>
        <Text size="xs" c="dimmed">
          The first rule that takes a call says who pays for it. A name that ends with * stands for all that begin like it.
        </Text>
      </div>
      {value.map((rule, at) => (
        <RuleInput
          key={at}
          at={at}
          value={rule}
          onChange={(next) => onChange(value.with(at, next))}
          onRemove={() => onChange(value.toSpliced(at, 1))}
          onEarlier={at === 0 ? undefined : () => onChange(value.toSpliced(at - 1, 2, rule, value[at - 1]!))}
        />
      ))}
      <Button
        variant="default"
        size="xs"
        className="align-start"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => onChange([...value, newRule])}>
        Add a rule
      </Button>
    </Stack>
  );
}

interface AccountsInputProps {
  readonly value: readonly AccountEntered[];
  readonly onChange: (value: readonly AccountEntered[]) => void;
}

function AccountsInput({ value, onChange }: AccountsInputProps) {
  const words = { team: 'Team', account: 'Account', costCentre: 'Cost centre' } as const;
  return (
    <Stack gap="xs">
      <div>
        <Title order={3} fz="sm">
          Accounts
        </Title>
        <Text size="xs" c="dimmed">
          They stand in the ledger. A line without a team is for what no team pays.
        </Text>
      </div>
      {value.map((account, at) => (
        <Group key={at} gap="xs" wrap="nowrap" align="flex-end">
          {(Object.keys(words) as (keyof AccountEntered)[]).map((name) => (
            <TextInput
              key={name}
              className="grow"
              size="xs"
              label={at === 0 ? words[name] : undefined}
              aria-label={`${words[name]}, line ${at + 1}`}
              maxLength={512}
              value={account[name]}
              onChange={({ currentTarget }) => onChange(value.with(at, { ...account, [name]: currentTarget.value }))}
            />
          ))}
          <Button
            variant="subtle"
            color="red"
            c="var(--bad)"
            size="xs"
            aria-label={`Remove line ${at + 1}`}
            onClick={() => onChange(value.toSpliced(at, 1))}>
            Remove
          </Button>
        </Group>
      ))}
      <Button
        variant="default"
        size="xs"
        className="align-start"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => onChange([...value, { team: '', account: '', costCentre: '' }])}>
        Add an account
      </Button>
    </Stack>
  );
}
