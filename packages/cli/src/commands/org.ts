/** `metergate org`: creates, lists, shows, configures and erases organizations. Rules: Interfaces. */
import { perMinuteMax } from '@metergate/core/rate/tier.ts';
import { plans, type Plan } from '@metergate/core/rate/plan.ts';
import { unmeteredKinds, unmeteredRules, type UnmeteredKind, type UnmeteredPolicy, type UnmeteredRule } from '@metergate/core/usage/unmetered.ts';
import { wrongBaseUrlRules, type WrongBaseUrlRule } from '@metergate/core/call/wrong-base-url.ts';
import { dayLengthMs } from '@metergate/core/time/utc-day.ts';
import { keepRecordsDaysMax, keepRecordsDaysMin } from '@metergate/store/settings/organization-settings.ts';
import { eraseOrganization } from '@metergate/platform/use-cases/erasure.ts';
import { createErasureFinisher } from '@metergate/platform/use-cases/finish-erasures.ts';
import {
  createOrganization, drainSecondsMax, listOrganizations, setOrganization, showOrganization, type OrganizationSettingsInput, type ShownOrganization,
} from '@metergate/platform/use-cases/organizations.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, CommandFault, commandGroup, UsageFault, type CommandTools, type Values } from '../command-line/command.ts';
import { onStore, showing } from '../command-line/on-store.ts';
import { givenOwnKeyTerms, ownKeyTermsText } from '../command-line/own-key-terms.ts';
import { readTypedLine } from '../command-line/typed-line.ts';
import { fields, listed, plain, secondsText, shortDecimal } from '../command-line/table.ts';
import { dollarsOrNone, givenDurationMs, modelPatterns, pricePair, givenWholeNumber } from '../command-line/value-forms.ts';

const planArgument = { type: 'enum', options: [...plans] as Plan[], valueHint: 'PLAN', description: `One of ${plans.join(', ')}` } as const;

const create = command({
  description: 'Create an organization',
  args: {
    name: { type: 'positional', required: true, valueHint: 'NAME', description: 'Its unique name' },
    plan: { ...planArgument, description: `${planArgument.description}; free by default` },
  },
  run: (values, tools) => onStore(tools, async (context) => {
    const { name, plan } = values;
    const made = await createOrganization(context, { name, ...(plan === undefined ? {} : { plan }) });
    if (isRefusal(made)) return made;
    const { id } = made;
    return { json: { id, name: made.name, plan: made.plan }, text: fields([['id', id], ['name', made.name], ['plan', made.plan]]) };
  }),
});

const list = command({
  description: 'List all organizations',
  args: {},
  run: (_values, tools) => onStore(tools, async (context) => {
    return listed(await listOrganizations(context), 'There are no organizations.', {
      ID: ({ id }) => id, NAME: ({ name }) => name, PLAN: ({ plan }) => plan, CREATED: ({ createdAt }) => secondsText(createdAt),
    }, { shrinks: 'NAME', drops: ['CREATED'] });
  }),
});

const show = command({
  description: 'Show the settings of an organization, as org set takes them',
  args: { org: { type: 'positional', required: true, valueHint: 'ORG', description: 'Id or unique name' } },
  run: (values, tools) => showing(tools, (context) => showOrganization(context, values.org),
    (shown) => ({ json: shown, text: organizationText(shown) })),
});

const boundArgument = (description: string) => ({ type: 'string', valueHint: 'USD', description: `${description}; none: no bound` }) as const;
const figureArgument = (what: string) =>
  ({ type: 'string', valueHint: 'N',
    description: `${what} a minute, as agreed; only on the enterprise plan; none: the default of the plan` }) as const;

const settingArguments = {
  plan: planArgument,
  'enforce-key-caps': {
    type: 'enum', options: ['on', 'off'] as string[], valueHint: 'on|off', description: 'Whether caps of keys refuse calls; off by default',
  },
  drain: { type: 'string', valueHint: 'SECONDS', description: 'How long to keep reading an answer after the caller left; none: the default' },
  'max-run-budget': boundArgument('The most one run may declare'),
  'run-ceiling': boundArgument('The most any one run may have, with a grant or without'),
  'run-exposure': boundArgument('The most that all live runs together may still spend'),
  'fallback-price': { type: 'string', valueHint: 'IN/OUT', description: 'USD per million tokens of models without a known price; none: unset' },
  unmetered: {
    type: 'string', valueHint: 'RULES',
    description: `Unmetered work: ${unmeteredRules.join(', ')}, or by kind: deferred=allow,…`,
  },
  'wrong-base-url': {
    type: 'enum', options: [...wrongBaseUrlRules] as WrongBaseUrlRule[], valueHint: 'RULE',
    description: `Calls with anthropic-version that would go to OpenAI: ${wrongBaseUrlRules.join(', ')}; forward by default`,
  },
  models: { type: 'string', valueHint: 'LIST', description: 'Models that may be asked for, as in gpt-5*,claude-*; none: all' },
  follow: {
    type: 'enum', options: ['on', 'off'] as string[], valueHint: 'on|off',
    description: 'Ask what became of work that is billed later; off by default (docs/limits.md: which)',
  },
  'own-keys': {
    type: 'string', valueHint: 'TERMS',
    description: 'Keys of members: keys=3,expires=30d,cap=20/month,person-cap=50/month,models=o*; none: any',
  },
  'requests-per-minute': figureArgument('Requests'),
  'tokens-per-minute': figureArgument('Tokens'),
  'keep-records': {
    type: 'string', valueHint: 'DAYS', description: 'Remove records, tap events and sums after this age, such as 400d; none: keep all',
  },
} as const;

const set = command({
  description: 'Change settings of an organization',
  args: { org: { type: 'positional', required: true, valueHint: 'ORG', description: 'Id or unique name' }, ...settingArguments },
  run: (values, tools) => {
    const changes = changesOf(values);
    return showing(tools, (context) => setOrganization(context, values.org, changes),
      (changed) => ({ json: changed, text: organizationText(changed) }));
  },
});

function changesOf(values: Values<typeof settingArguments>): OrganizationSettingsInput {
  const names = Object.keys(settingArguments) as (keyof typeof settingArguments)[];
  if (names.every((name) => values[name] === undefined)) {
    throw new UsageFault(`metergate org set needs a setting to change: ${names.map((name) => `--${name}`).join(', ')}. `
      + 'As they are now: metergate org show ORG');
  }
  const bound = (name: 'max-run-budget' | 'run-ceiling' | 'run-exposure') => of(values[name], (text) => dollarsOrNone(name, text));
  const figure = (name: 'requests-per-minute' | 'tokens-per-minute') =>
    of(values[name], (text) => (text === 'none' ? null : givenWholeNumber(name, text, { min: 1, max: perMinuteMax })));
  const changes: Readonly<Record<keyof OrganizationSettingsInput, unknown>> = {
    plan: values.plan,
    enforceKeyCaps: of(values['enforce-key-caps'], (text) => text === 'on'),
    drainSeconds: of(values.drain, (text) => (text === 'none' ? null : drainSecondsOf(text))),
    maxRunBudget: bound('max-run-budget'),
    runCeiling: bound('run-ceiling'),
    runExposure: bound('run-exposure'),
    fallbackPrice: of(values['fallback-price'], (text) => pricePair('fallback-price', text)),
    unmetered: of(values.unmetered, unmeteredOf),
    wrongBaseUrl: values['wrong-base-url'],
    models: of(values.models, modelPatterns),
    follow: of(values.follow, (text) => text === 'on'),
    ownKeys: of(values['own-keys'], givenOwnKeyTerms),
    requestsPerMinute: figure('requests-per-minute'),
    tokensPerMinute: figure('tokens-per-minute'),
    keepRecordsDays: of(values['keep-records'], (text) => (text === 'none' ? null : daysOf(text))),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** The value of an option that was given; undefined if it was not. */
function of<Value>(text: string | undefined, read: (text: string) => Value): Value | undefined {
  return text === undefined ? undefined : read(text);
}

/** @throws UsageFault for text that is not a duration, and for one that is not in whole days. */
function daysOf(text: string): number {
  const days = givenDurationMs('keep-records', text) / dayLengthMs;
  if (Number.isInteger(days) && days >= keepRecordsDaysMin && days <= keepRecordsDaysMax) return days;
  throw new UsageFault(`--keep-records must be ${keepRecordsDaysMin}d to ${keepRecordsDaysMax}d, in whole days, or none.`);
}

/** How the command names the kinds of unmetered work. */
const unmeteredWords: { readonly [Kind in UnmeteredKind]: string } = {
  deferred: 'deferred', unreported: 'unreported', handedOut: 'handed-out', hidden: 'hidden',
};

/** One rule for all kinds, or `KIND=RULE` for some. @throws UsageFault */
function unmeteredOf(text: string): Partial<UnmeteredPolicy> {
  const ruleOf = (word: string): UnmeteredRule => unmeteredRules.find((rule) => rule === word) ?? unmeteredFault();
  if (!text.includes('=')) return Object.fromEntries(unmeteredKinds.map((kind) => [kind, ruleOf(text)]));
  const policy: { [Kind in UnmeteredKind]?: UnmeteredRule } = {};
  for (const part of text.split(',')) {
    const [word, rule = '', ...more] = part.split('=');
    const kind = unmeteredKinds.find((each) => unmeteredWords[each] === word);
    if (kind === undefined || policy[kind] !== undefined || more.length > 0) return unmeteredFault();
    policy[kind] = ruleOf(rule);
  }
  return policy;
}

function unmeteredFault(): never {
  const kinds = Object.values(unmeteredWords).join(', ');
  throw new UsageFault(`--unmetered must be ${unmeteredRules.join(', ')}, or one of them for some of ${kinds}, each once: `
    + 'deferred=refuse,unreported=allow,handed-out=refuse-under-limits.');
}

function unmeteredText(policy: UnmeteredPolicy): string {
  return unmeteredKinds.map((kind) => `${unmeteredWords[kind]}=${policy[kind]}`).join(',');
}

function drainSecondsOf(text: string): number {
  return givenWholeNumber('drain', text, { min: 0, max: drainSecondsMax });
}

function organizationText(shown: ShownOrganization): string {
  const { fallbackPrice } = shown;
  const usd = (amount: string | null): string => (amount === null ? 'none' : shortDecimal(amount));
  const settings: Readonly<Record<keyof typeof settingArguments, string | number>> = {
    plan: shown.plan,
    'enforce-key-caps': shown.enforceKeyCaps ? 'on' : 'off',
    drain: shown.drainSeconds ?? 'none',
    'max-run-budget': usd(shown.maxRunBudget),
    'run-ceiling': usd(shown.runCeiling),
    'run-exposure': usd(shown.runExposure),
    'fallback-price': fallbackPrice === null ? 'none' : `${shortDecimal(fallbackPrice.input)}/${shortDecimal(fallbackPrice.output)}`,
    unmetered: unmeteredText(shown.unmetered),
    'wrong-base-url': shown.wrongBaseUrl,
    models: shown.models === null ? 'none' : shown.models.join(','),
    follow: shown.follow ? 'on' : 'off',
    'own-keys': ownKeyTermsText(shown.ownKeys),
    'requests-per-minute': shown.requestsPerMinute ?? 'none',
    'tokens-per-minute': shown.tokensPerMinute ?? 'none',
    'keep-records': shown.keepRecordsDays === null ? 'none' : `${shown.keepRecordsDays}d`,
  };
  return fields([
    ['id', shown.id], ['name', shown.name], ['created', secondsText(shown.createdAt)],
    ...Object.entries(settings).map(([name, value]) => [`--${name}`, value] as const),
    ...(shown.recordsGoneBefore === null ? [] : [['records gone before', secondsText(shown.recordsGoneBefore)] as const]),
  ]);
}

const erase = command({
  description: 'Erase an organization for good: keys and secrets are destroyed, records keep only their figures',
  args: {
    org: { type: 'positional', required: true, valueHint: 'ORG', description: 'Id or unique name' },
    yes: { type: 'boolean', description: 'Do not ask for confirmation; needed without a terminal' },
  },
  run: (values, tools) => onStore(tools, async (context) => {
    const organization = await showOrganization(context, values.org);
    if (isRefusal(organization)) return organization;
    if (values.yes !== true) await confirmErasure(organization, tools);
    const erased = await eraseOrganization(context, organization.id);
    if (isRefusal(erased)) return erased;
    await createErasureFinisher(context.store)();
    const figures = `npx --no-install metergate usage --org ${erased.id} --by day`;
    return { json: erased, text: `${erased.id} is erased. Its figures stay, and are read by this id: ${figures}` };
  }),
});

/** A person types the name again; a script passes `--yes`. @throws UsageFault off a terminal, CommandFault if the name differs */
async function confirmErasure({ name }: ShownOrganization, tools: CommandTools): Promise<void> {
  if (tools.wantsJson === true || !tools.isTerminal || !tools.stdin.isTTY) {
    throw new UsageFault('org erase cannot be undone. Without a terminal, or with --json, confirm it with --yes.');
  }
  tools.stderr(`Keys, people, secrets and words of ${plain(name)} are destroyed for good; only figures stay.\n`);
  if (await readTypedLine(tools, `Type its name to erase it: `) === name) return;
  throw new CommandFault('not_confirmed', 'What was typed is not the name of the organization. Nothing was erased.');
}

export const org = commandGroup('Make, list, show, set and erase organizations', { create, list, show, set, erase });
