/** `metergate org`: organizations, made, listed and set. Design 5. */
import { perMinuteMax } from '@metergate/core/rate/tier.ts';
import { plans, type Plan } from '@metergate/core/settings.ts';
import { eraseOrganization, finishErasures } from '@metergate/platform/erasure.ts';
import {
  createOrganization, drainSecondsMax, listOrganizations, setOrganization, type OrganizationSettingsInput, type ShownOrganization,
} from '@metergate/platform/organizations.ts';
import { isRefusal } from '@metergate/platform/refusal.ts';
import { command, commandGroup, UsageFault, type Values } from '../command-line/command.ts';
import { onStore } from '../command-line/on-store.ts';
import { fields, shortDecimal, table } from '../command-line/table.ts';
import { dollarsOrNone, pricePair, wholeNumberOf } from '../command-line/value-forms.ts';

const planArgument = { type: 'enum', options: [...plans] as Plan[], valueHint: 'PLAN', description: `One of ${plans.join(', ')}` } as const;

const create = command({
  description: 'Make an organization',
  args: {
    name: { type: 'positional', required: true, valueHint: 'NAME', description: 'Its unique name' },
    plan: { ...planArgument, description: `${planArgument.description}; free unless given` },
  },
  run: (values, tools) => onStore(tools, async (ground) => {
    const { name, plan } = values;
    const made = await createOrganization(ground, { name, ...(plan === undefined ? {} : { plan }) });
    if (isRefusal(made)) return made;
    const { id } = made;
    return { json: { id, name: made.name, plan: made.plan }, text: fields([['id', id], ['name', made.name], ['plan', made.plan]]) };
  }),
});

const list = command({
  description: 'List all organizations',
  args: {},
  run: (_values, tools) => onStore(tools, async (ground) => {
    const shown = await listOrganizations(ground);
    const rows = shown.map(({ id, name, plan, createdAt }) => [id, name, plan, createdAt]);
    return { json: shown, text: rows.length === 0 ? 'There are no organizations.' : table(['ID', 'NAME', 'PLAN', 'CREATED'], rows) };
  }),
});

const boundArgument = (description: string) => ({ type: 'string', valueHint: 'USD', description: `${description}; none: no bound` }) as const;
const figureArgument = (what: string) =>
  ({ type: 'string', valueHint: 'N', description: `${what} a minute, as agreed; enterprise only; none: those of the plan` }) as const;

const settingArguments = {
  plan: planArgument,
  'enforce-key-caps': {
    type: 'enum', options: ['on', 'off'] as string[], valueHint: 'on|off', description: 'Whether caps of keys refuse; off at first',
  },
  drain: { type: 'string', valueHint: 'SECONDS', description: 'How long an answer is read on after the caller left; none: the default' },
  'max-run-budget': boundArgument('The most one run may declare'),
  'run-ceiling': boundArgument('The most any one run may have, with a grant or without'),
  'run-exposure': boundArgument('The most that all live runs together may still spend'),
  'fallback-price': { type: 'string', valueHint: 'IN/OUT', description: 'USD per million tokens where no price is known; none: unset' },
  'requests-per-minute': figureArgument('Requests'),
  'tokens-per-minute': figureArgument('Tokens'),
} as const;

const set = command({
  description: 'Change settings of an organization',
  args: { org: { type: 'positional', required: true, valueHint: 'ORG', description: 'Id or unique name' }, ...settingArguments },
  run: (values, tools) => {
    const changes = changesOf(values);
    return onStore(tools, async (ground) => {
      const changed = await setOrganization(ground, values.org, changes);
      return isRefusal(changed) ? changed : { json: changed, text: organizationText(changed) };
    });
  },
});

function changesOf(values: Values<typeof settingArguments>): OrganizationSettingsInput {
  const names = Object.keys(settingArguments) as (keyof typeof settingArguments)[];
  if (names.every((name) => values[name] === undefined)) {
    throw new UsageFault(`metergate org set needs a setting to change: ${names.map((name) => `--${name}`).join(', ')}.`);
  }
  const bound = (name: 'max-run-budget' | 'run-ceiling' | 'run-exposure') => of(values[name], (text) => dollarsOrNone(name, text));
  const figure = (name: 'requests-per-minute' | 'tokens-per-minute') =>
    of(values[name], (text) => (text === 'none' ? null : wholeNumberOf(name, text, { min: 1, max: perMinuteMax })));
  const changes: Readonly<Record<keyof OrganizationSettingsInput, unknown>> = {
    plan: values.plan,
    enforceKeyCaps: of(values['enforce-key-caps'], (text) => text === 'on'),
    drainSeconds: of(values.drain, (text) => (text === 'none' ? null : drainSecondsOf(text))),
    maxRunBudget: bound('max-run-budget'),
    runCeiling: bound('run-ceiling'),
    runExposure: bound('run-exposure'),
    fallbackPrice: of(values['fallback-price'], (text) => pricePair('fallback-price', text)),
    requestsPerMinute: figure('requests-per-minute'),
    tokensPerMinute: figure('tokens-per-minute'),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** What an option that was given says; undefined where it was not. */
function of<Value>(text: string | undefined, read: (text: string) => Value): Value | undefined {
  return text === undefined ? undefined : read(text);
}

function drainSecondsOf(text: string): number {
  return wholeNumberOf('drain', text, { min: 0, max: drainSecondsMax });
}

function organizationText(shown: ShownOrganization): string {
  const { fallbackPrice, drainSeconds } = shown;
  const usd = (amount: string | null): string | null => (amount === null ? null : `${shortDecimal(amount)} USD`);
  return fields([
    ['id', shown.id], ['name', shown.name], ['plan', shown.plan],
    ['key caps', shown.enforceKeyCaps ? 'refuse' : 'shown only'],
    ['drain', drainSeconds === null ? null : `${drainSeconds} s`],
    ['max run budget', usd(shown.maxRunBudget)], ['run ceiling', usd(shown.runCeiling)], ['run exposure', usd(shown.runExposure)],
    ['fallback price', fallbackPrice === null ? null
      : `${shortDecimal(fallbackPrice.input)}/${shortDecimal(fallbackPrice.output)} USD per million tokens`],
    ['requests a minute', shown.requestsPerMinute], ['tokens a minute', shown.tokensPerMinute],
  ]);
}

const erase = command({
  description: 'Erase an organization for good: keys and secrets go, records keep figures alone',
  args: { org: { type: 'positional', required: true, valueHint: 'ORG', description: 'Id or unique name' } },
  run: (values, tools) => onStore(tools, async (ground) => {
    const erased = await eraseOrganization(ground, values.org);
    if (isRefusal(erased)) return erased;
    await finishErasures(ground.store);
    return { json: erased, text: `${erased.id} is erased.` };
  }),
});

export const org = commandGroup('Make, list, set and erase organizations', { create, list, set, erase });
