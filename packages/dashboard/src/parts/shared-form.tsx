/**
 * A form for something that others may change at the same time. It sends what was changed with the values that it was made from. If somebody
 * else changed the same field meanwhile, nothing is saved and both values are shown: the person decides.
 */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useForm, type FormErrors } from '@mantine/form';
import { useEffect, useState, type FormEvent } from 'react';
import { Refused } from '../api/client.ts';
import { useDoing } from './doing.ts';

export interface SharedForm<Thing, Values> {
  /** As it was read last. */
  readonly of: Thing;
  /** The form's values for it. */
  readonly entered: (thing: Thing) => Values;
  /** What each field is called, as its label does. */
  readonly words: Readonly<Record<keyof Values & string, string>>;
  /** Values in words, where a field is more than a text or a number; undefined: it is not. */
  readonly said?: (name: keyof Values & string, values: Values) => string | undefined;
  readonly validate?: (values: Values) => FormErrors;
  /** Sends the difference between the values and what they were made from. */
  readonly send: (values: Values, before: Thing) => Promise<unknown>;
  /** Reads it again. */
  readonly read: (values: Values) => Promise<Thing>;
  readonly done: string;
  readonly changes: readonly string[];
  readonly after?: () => void;
}

export function useSharedForm<Thing extends object, Values extends Record<string, unknown>>(shared: SharedForm<Thing, Values>) {
  const { entered, words, said } = shared;
  const inWords = (name: string, values: Values): string => said?.(name, values) ?? valueText(values[name]);
  const [before, setBefore] = useState(shared.of);
  const [now, setNow] = useState<Thing | null>(null);
  const form = useForm<Values>({ initialValues: entered(shared.of), ...(shared.validate === undefined ? {} : { validate: shared.validate }) });
  /** The form is made of `thing` from now on; `values`: what the person wants. */
  const rebase = (thing: Thing, values: Values): void => {
    setBefore(thing);
    setNow(null);
    form.setInitialValues(entered(thing));
    form.resetDirty(entered(thing));
    form.setValues(values);
  };
  useEffect(() => {
    // Whoever makes `of` anew in each rendering would otherwise never come to rest.
    if (!form.isDirty() && JSON.stringify(shared.of) !== JSON.stringify(before)) rebase(shared.of, entered(shared.of));
  }, [shared.of]);
  const saving = useDoing({
    run: async ({ values, from }: { readonly values: Values; readonly from: Thing }) => {
      try {
        await shared.send(values, from);
        return null;
      } catch (fault) {
        if (fault instanceof Refused && fault.code === 'changed_meanwhile') return await shared.read(values);
        throw fault;
      }
    },
    changes: shared.changes,
    done: (other) => (other === null ? shared.done : null),
    after: (other) => {
      if (other === null) shared.after?.();
      setNow(other);
      if (other === null) form.resetDirty();
    },
  });
  const theirs = now === null ? [] : changedNames(entered(before), entered(now));
  const mine = changedNames(entered(before), form.values);
  /** One's own changes over what is there now. */
  const mineOver = (thing: Thing, but: readonly string[] = []): Values => ({
    ...entered(thing),
    ...Object.fromEntries(mine.filter((name) => !but.includes(name)).map((name) => [name, form.values[name]])),
  });
  const differs = (name: string): boolean => now !== null && JSON.stringify(entered(now)[name]) !== JSON.stringify(form.values[name]);
  const both = mine.filter((name) => theirs.includes(name) && differs(name));
  return {
    form,
    saving: saving.isPending,
    submit: (event: FormEvent<HTMLFormElement>) => form.onSubmit((values) => saving.mutate({ values, from: before }))(event),
    conflict:
      now === null ? null : (
        <Alert role="alert" title="Somebody else changed this meanwhile">
          <Text size="sm">
            {both.length === 0 ? 'It was set anew, perhaps to the same. ' : ''}Nothing was saved yet.
          </Text>
          <ul className="conflict">
            {both.map((name) => (
              <li key={name}>
                {words[name as keyof Values & string]}: you entered <b>{inWords(name, form.values)}</b>, it is{' '}
                <b>{inWords(name, entered(now))}</b> now.
              </li>
            ))}
          </ul>
          <Group gap="xs">
            <Button
              size="compact-sm"
              onClick={() => {
                const values = mineOver(now);
                rebase(now, values);
                saving.mutate({ values, from: now });
              }}>
              Save mine
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => rebase(now, mineOver(now, both))}>
              Keep theirs
            </Button>
          </Group>
        </Alert>
      ),
  };
}

/** The names of the fields that differ. */
function changedNames<Values extends object>(before: Values, after: Values): (keyof Values & string)[] {
  return (Object.keys(after) as (keyof Values & string)[]).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

/** What differs, and the same fields as they were shown: the body of a change. `shownAs`: fields that are shown under another name. */
export function changeOf<Sent extends object>(
  before: Sent,
  after: Sent,
  shown: object,
  shownAs: Readonly<Record<string, string>> = {},
): Partial<Sent> & { readonly was: Record<string, never> } {
  const names = changedNames(before, after);
  const shownNames = names.map((name) => shownAs[name] ?? name);
  return {
    ...(Object.fromEntries(names.map((name) => [name, after[name]])) as Partial<Sent>),
    was: Object.fromEntries(shownNames.map((name) => [name, (shown as Readonly<Record<string, never>>)[name]!])),
  };
}

function valueText(value: unknown): string {
  if (value === '' || value === null || value === undefined) return 'nothing';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.join(', ');
  return String(value);
}
