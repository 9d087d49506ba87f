/** `metergate upgrade --plan`: what the next start of this version would do to an older store, and about how long that takes. */
import { grouped } from '@metergate/core/books/allocation/page-amounts.ts';
import { dependantsInWords } from '@metergate/store/schema/migrations/upgrade-dependants.ts';
import { planUpgrade, type CellPlan, type UpgradePlan } from '@metergate/store/schema/migrations/upgrade-plan.ts';
import { command, UsageFault } from '../command-line/command.ts';
import { countOf } from '../command-line/counts.ts';
import { settingsOf } from '../command-line/settings-of.ts';

export const upgrade = command({
  description: 'Say what a start of this version would do to an older store',
  args: { plan: { type: 'boolean', description: 'Only say it; the next start does it' } },
  run: async ({ plan }, tools) => {
    if (plan !== true) {
      throw new UsageFault('An older store is upgraded by the next metergate start or metergate platform. Give --plan to see what that does.');
    }
    const planned = await planUpgrade(settingsOf(tools).databaseUrl);
    return { json: planned, text: planInWords(planned) };
  },
});

/** The plan as the command prints it. */
export function planInWords({ from, to, records, steps, seconds, dependants, cells }: UpgradePlan): string {
  if (from === null) return 'There is no store yet. The next start makes one, and nothing has to be upgraded.';
  if (from > to) return `The store is of a newer version: schema ${from}, this one knows ${to}. Update metergate.`;
  const heldUp = dependants.length === 0 ? null : dependantsInWords(dependants);
  // A cell is upgraded by itself, so it may be older than its store.
  if (from === to) {
    return [`The store is up to date: schema ${to}.${heldUp === null ? '' : ` A cell of it is not. ${heldUp}`}`,
      ...cellsInWords(cells, 'Of its cells these are not; the next start upgrades them:')].join('\n');
  }
  const reading = steps.filter(({ readsRecords }) => readsRecords);
  const others = steps.length - reading.length;
  return [
    `The next start upgrades the store from schema ${from} to ${to}: ${countOf(steps.length, 'step')}, ${countOf(records, 'record')}, about ${
      duration(seconds)}.`,
    ...reading.map(({ version, words }) => `  ${version}  ${words} (reads ${grouped(records)})`),
    ...(others === 0 ? [] : [`  ${countOf(others, 'step')} of tables and columns, at once`]),
    ...cellsInWords(cells, 'Then its cells, several at once:'),
    ...(heldUp === null ? [] : [`It does not begin yet. ${heldUp}`]),
    'On SQLite nothing is served meanwhile. On PostgreSQL gateways go on serving, and ship what ended meanwhile afterwards.',
    'Make a backup first: a store that was upgraded is not read by older versions.',
  ].join('\n');
}

function cellsInWords(cells: readonly CellPlan[], heading: string): string[] {
  if (cells.length === 0) return [];
  return [heading, ...cells.map(({ name, plan }) => (plan === null ? `  ${name}  does not answer; a platform upgrades it once it does`
    : `  ${name}  from schema ${plan.from}: ${countOf(plan.steps.length, 'step')}, ${countOf(plan.records, 'record')}, about ${
      duration(plan.seconds)}`))];
}

function duration(seconds: number): string {
  return seconds < 90 ? countOf(Math.max(1, seconds), 'second') : countOf(Math.ceil(seconds / 60), 'minute');
}
