/** The organization's settings as the fields of their form, and what of them is sent. */
import { ask, type Shown } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { changeOf, useSharedForm, type SharedForm } from '../../parts/shared-form.tsx';
import { dollarsToSend, plainDecimal } from '../../shown/amounts.ts';

type Organization = Shown<'Organization'>;
export type Rule = Organization['unmetered']['deferred'];

type Change = NonNullable<paths['/platform/v1/organizations/{id}']['patch']['requestBody']>['content']['application/json'];

interface FormOfOrganization<Values> extends Pick<SharedForm<Organization, Values>, 'entered' | 'words' | 'validate' | 'done'> {
  /** What of the form's values is sent. */
  readonly settingsOf: (values: Values) => Omit<Change, 'was'>;
}

/** A form for some of an organization's settings. */
export function useFormOfOrganization<Values extends Record<string, unknown>>(
  organization: Organization, { settingsOf, ...form }: FormOfOrganization<Values>,
) {
  const path = { params: { path: { id: organization.id } } };
  return useSharedForm({
    ...form,
    of: organization,
    send: (values, before) => ask.PATCH('/platform/v1/organizations/{id}', {
      ...path, body: changeOf(settingsOf(form.entered(before)), settingsOf(values), before) }),
    read: async () => (await ask.GET('/platform/v1/organizations/{id}', path)).data!,
    changes: ['/platform/v1/organizations'],
  });
}

export function useOrganizationForm(organization: Organization) {
  return useFormOfOrganization(organization, {
    entered,
    words,
    settingsOf,
    validate: ({ input, output }) =>
      (input === '') === (output === '') ? {} : { [input === '' ? 'input' : 'output']: 'A price takes both. Leave both empty for none.' },
    done: 'The settings are saved. They take effect within a second.',
  });
}

type Amount = number | string;
type Entered = {
  maxRunBudget: Amount;
  runCeiling: Amount;
  runExposure: Amount;
  enforceKeyCaps: boolean;
  follow: boolean;
  input: Amount;
  output: Amount;
  drainSeconds: Amount;
  keepRecordsDays: Amount;
  refusesWrongBaseUrl: boolean;
  models: string[];
  deferred: Rule;
  unreported: Rule;
  handedOut: Rule;
  hidden: Rule;
};

const words: Readonly<Record<keyof Entered, string>> = {
  maxRunBudget: "A key's run may declare",
  runCeiling: 'A run at most',
  runExposure: 'Live runs together',
  enforceKeyCaps: 'Caps of keys refuse',
  follow: 'Follow work that is billed later',
  input: 'Fallback price, input',
  output: 'Fallback price, output',
  drainSeconds: 'Read an abandoned call for',
  keepRecordsDays: 'Keep records for',
  refusesWrongBaseUrl: 'Refuse calls with a wrong base URL',
  models: 'Models',
  deferred: 'Work billed later',
  unreported: 'Work never reported',
  handedOut: 'Provider keys handed out',
  hidden: 'Usage hidden by the caller',
};

function entered(organization: Organization): Entered {
  const { maxRunBudget, runCeiling, runExposure, enforceKeyCaps, fallbackPrice, drainSeconds, keepRecordsDays, unmetered, wrongBaseUrl, follow } =
    organization;
  const shown = (amount: string | null | undefined): Amount => (amount === null || amount === undefined ? '' : plainDecimal(amount));
  return {
    maxRunBudget: shown(maxRunBudget),
    runCeiling: shown(runCeiling),
    runExposure: shown(runExposure),
    enforceKeyCaps,
    follow,
    input: shown(fallbackPrice?.input),
    output: shown(fallbackPrice?.output),
    drainSeconds: drainSeconds ?? '',
    keepRecordsDays: keepRecordsDays ?? '',
    refusesWrongBaseUrl: wrongBaseUrl === 'refuse',
    models: [...(organization.models ?? [])],
    ...unmetered,
  };
}

function settingsOf(values: Entered) {
  const amount = (value: Amount): string | null => (value === '' ? null : dollarsToSend(value));
  const { input, output, deferred, unreported, handedOut, hidden } = values;
  return {
    maxRunBudget: amount(values.maxRunBudget),
    runCeiling: amount(values.runCeiling),
    runExposure: amount(values.runExposure),
    enforceKeyCaps: values.enforceKeyCaps,
    follow: values.follow,
    drainSeconds: values.drainSeconds === '' ? null : Number(values.drainSeconds),
    keepRecordsDays: values.keepRecordsDays === '' ? null : Number(values.keepRecordsDays),
    unmetered: { deferred, unreported, handedOut, hidden },
    models: values.models.length === 0 ? null : values.models,
    wrongBaseUrl: values.refusesWrongBaseUrl ? ('refuse' as const) : ('forward' as const),
    fallbackPrice:
      input === '' && output === ''
        ? null
        : { input: dollarsToSend(input), output: dollarsToSend(output) },
  };
}
