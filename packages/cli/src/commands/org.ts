/** `metergate org`: organizations, made, listed and set. Design 5. */
import { plans, type Plan } from '@metergate/core/settings.ts';
import {
  createOrganization, listOrganizations, setOrganization, type OrganizationSettingsInput, type ShownOrganization,
} from '@metergate/platform/organizations.ts';
import { isRefusal } from '@metergate/platform/refusal.ts';
import { command, commandGroup, UsageFault } from '../command-line/command.ts';
import { onStore } from '../command-line/on-store.ts';
import { fields, shortDecimal, table } from '../command-line/table.ts';
import { pricePair, wholeNumberOf } from '../command-line/value-forms.ts';

const planArgument = { type: 'enum', options: [...plans] as Plan[], valueHint: 'PLAN', description: `One of ${plans.join(', ')}` } as const;
/** A year: longer than any answer is read on. */
const drainSecondsMax = 31_536_000;

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

const set = command({
  description: 'Change settings of an organization',
  args: {
    org: { type: 'positional', required: true, valueHint: 'ORG', description: 'Id or unique name' },
    plan: planArgument,
    drain: { type: 'string', valueHint: 'SECONDS', description: 'How long an answer is read on after the caller left; none: the default' },
    'fallback-price': { type: 'string', valueHint: 'IN/OUT', description: 'USD per million tokens where no price is known; none: unset' },
  },
  run: (values, tools) => {
    const changes = changesOf(values);
    return onStore(tools, async (ground) => {
      const changed = await setOrganization(ground, values.org, changes);
      return isRefusal(changed) ? changed : { json: changed, text: organizationText(changed) };
    });
  },
});

function changesOf(
  values: { readonly plan: string | undefined; readonly drain: string | undefined; readonly 'fallback-price': string | undefined },
): OrganizationSettingsInput {
  const { plan, drain } = values;
  const price = values['fallback-price'];
  if (plan === undefined && drain === undefined && price === undefined) {
    throw new UsageFault('metergate org set needs a setting to change: --plan, --drain or --fallback-price.');
  }
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(drain === undefined ? {} : { drainSeconds: drain === 'none' ? null : drainSecondsOf(drain) }),
    ...(price === undefined ? {} : { fallbackPrice: pricePair('fallback-price', price) }),
  };
}

function drainSecondsOf(text: string): number {
  return wholeNumberOf('drain', text, { min: 0, max: drainSecondsMax });
}

function organizationText({ id, name, plan, drainSeconds, fallbackPrice }: ShownOrganization): string {
  return fields([
    ['id', id], ['name', name], ['plan', plan], ['drain', drainSeconds === null ? null : `${drainSeconds} s`],
    ['fallback price', fallbackPrice === null ? null
      : `${shortDecimal(fallbackPrice.input)}/${shortDecimal(fallbackPrice.output)} USD per million tokens`],
  ]);
}

export const org = commandGroup('Make, list and set organizations', { create, list, set });
