/** One rule of allocation in a form: which calls it takes, and who pays for them. */
import { Button, Group, NativeSelect, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { wholeListQuery } from '../../api/whole-list.ts';
import { choicesOf } from '../../shown/choices.ts';
import { keysQuery } from '../../shown/key-names.ts';
import {
  conditionWords, payerWords, type ConditionEntered, type ConditionKind, type PayerEntered, type RuleEntered,
} from './allocation-entered.ts';

interface RuleInputProps {
  /** Its place, from 0. */
  readonly at: number;
  readonly value: RuleEntered;
  readonly onChange: (value: RuleEntered) => void;
  readonly onRemove: () => void;
  /** Undefined: it is the first. */
  readonly onEarlier: (() => void) | undefined;
}

export function RuleInput({ at, value, onChange, onRemove, onEarlier }: RuleInputProps) {
  const { conditions, payer } = value;
  const left = choicesOf(conditionWords).filter(({ value: kind }) => !conditions.some(({ of }) => of === kind));
  const name = `rule ${at + 1}`;
  const set = (next: readonly ConditionEntered[]): void => onChange({ ...value, conditions: next });
  return (
    <fieldset className="rule">
      <legend>Rule {at + 1}</legend>
      <Stack gap="xs">
        {conditions.length === 0 ? <Text size="sm">It takes every call.</Text> : null}
        {conditions.map((condition, index) => (
          <Group key={condition.of} gap="xs" align="flex-start">
            <NativeSelect
              w={170}
              aria-label={`Condition ${index + 1} of ${name}`}
              data={choicesOf(conditionWords).filter(({ value: kind }) => kind === condition.of || left.some((each) => each.value === kind))}
              value={condition.of}
              onChange={({ currentTarget }) => set(conditions.with(index, { of: currentTarget.value as ConditionKind, names: [] }))}
            />
            <NamesInput
              name={`${conditionWords[condition.of]} of ${name}`}
              of={condition}
              onChange={(names) => set(conditions.with(index, { ...condition, names }))}
            />
            <Button
              variant="subtle"
              size="compact-sm"
              mt={6}
              aria-label={`Remove condition ${index + 1} of ${name}`}
              onClick={() => set(conditions.toSpliced(index, 1))}>
              Remove
            </Button>
          </Group>
        ))}
        <PayerInput label={`Who pays by ${name}`} value={payer} onChange={(next) => onChange({ ...value, payer: next })} />
        <Group gap="xs">
          {left.length === 0 ? null : (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Add a condition to ${name}`}
              onClick={() => set([...conditions, { of: left[0]!.value, names: [] }])}>
              Add a condition
            </Button>
          )}
          {onEarlier === undefined ? null : (
            <Button size="compact-sm" variant="default" aria-label={`Move up ${name}`} onClick={onEarlier}>
              Move up
            </Button>
          )}
          <Button size="compact-sm" variant="subtle" color="red" c="var(--bad)" aria-label={`Remove the ${name}`} onClick={onRemove}>
            Remove the rule
          </Button>
        </Group>
      </Stack>
    </fieldset>
  );
}

interface NamesInputProps {
  readonly name: string;
  readonly of: ConditionEntered;
  readonly onChange: (names: readonly string[]) => void;
}

/** Names that are there are offered; any other may be entered, such as one that begins many. */
function NamesInput({ name, of: { of: kind, names }, onChange }: NamesInputProps) {
  const isOfUsage = kind === 'projects' || kind === 'models' || kind === 'labels';
  const by = kind === 'models' ? 'model' : kind === 'labels' ? 'label' : 'project';
  const keys = useQuery({ ...keysQuery, enabled: kind === 'keys' });
  const members = useQuery({ ...wholeListQuery('/platform/v1/members'), enabled: kind === 'people' });
  const used = useQuery({ ...wholeListQuery('/platform/v1/usage', { by }), enabled: isOfUsage });
  const known = kind === 'keys' ? keys.data?.data.flatMap((key) => key.name ?? [])
    : kind === 'people' ? members.data?.data.map(({ email }) => email) : used.data?.data.flatMap((row) => row[by] ?? []);
  return (
    <TagsInput
      className="grow"
      miw={200}
      aria-label={name}
      placeholder={names.length === 0 ? 'Names, each with Enter' : ''}
      data={[...new Set(known ?? [])]}
      limit={50}
      maxTags={1_000}
      acceptValueOnBlur
      value={[...names]}
      onChange={onChange}
    />
  );
}

interface PayerInputProps {
  readonly label: string;
  readonly value: PayerEntered;
  readonly onChange: (value: PayerEntered) => void;
  /** Of the calls that no rule takes: nobody need pay, and no label says who. */
  readonly ofRest?: true;
}

export function PayerInput({ label, value, onChange, ofRest }: PayerInputProps) {
  const { kind, word, parts } = value;
  const choices = ofRest === true ? [{ value: 'nobody', label: 'Unallocated' }, ...choicesOf(payerWords).filter((each) => each.value !== 'byLabel')]
    : choicesOf(payerWords);
  const one = { team: '', weight: '1' };
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        <NativeSelect
          label={ofRest === true ? label : 'Paid by'}
          aria-label={label}
          data={[...choices]}
          value={kind}
          onChange={({ currentTarget }) => {
            const next = currentTarget.value as PayerEntered['kind'];
            onChange({ kind: next, word: '', parts: next === 'split' ? [one, one] : [] });
          }}
        />
        {kind === 'team' || kind === 'byLabel' ? (
          <TextInput
            className="grow"
            miw={160}
            aria-label={`${label}: ${kind === 'team' ? 'the team' : 'how its labels begin'}`}
            placeholder={kind === 'team' ? 'search' : 'team:*'}
            maxLength={512}
            value={word}
            onChange={({ currentTarget }) => onChange({ ...value, word: currentTarget.value })}
          />
        ) : null}
      </Group>
      {kind !== 'split' ? null : (
        <>
          {parts.map((part, at) => (
            <Group key={at} gap="xs" wrap="nowrap">
              <TextInput
                className="grow"
                size="xs"
                placeholder="Team"
                aria-label={`${label}: team ${at + 1}`}
                maxLength={512}
                value={part.team}
                onChange={({ currentTarget }) => onChange({ ...value, parts: parts.with(at, { ...part, team: currentTarget.value }) })}
              />
              <TextInput
                w={90}
                size="xs"
                inputMode="decimal"
                aria-label={`${label}: weight ${at + 1}`}
                maxLength={20}
                value={part.weight}
                onChange={({ currentTarget }) => onChange({ ...value, parts: parts.with(at, { ...part, weight: currentTarget.value }) })}
              />
              <Button
                size="xs"
                variant="subtle"
                aria-label={`Remove team ${at + 1}: ${label}`}
                onClick={() => onChange({ ...value, parts: parts.toSpliced(at, 1) })}>
                Remove
              </Button>
            </Group>
          ))}
          <Button
            className="align-start"
            size="compact-sm"
            variant="default"
            aria-label={`${label}: add a team`}
            onClick={() => onChange({ ...value, parts: [...parts, one] })}>
            Add a team
          </Button>
        </>
      )}
    </Stack>
  );
}
