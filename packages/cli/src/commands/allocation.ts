/** `metergate allocation`: what each team pays of a month, and what other rules would have moved. Rule 24b; docs/allocation.md. */
import { resolve } from 'node:path';
import { grouped } from '@metergate/core/books/allocation/page-amounts.ts';
import { showAllocationRules } from '@metergate/platform/use-cases/allocation/allocation-rules.ts';
import { showAllocation, tryAllocation, type AllocationTrial } from '@metergate/platform/use-cases/allocation/month-allocation.ts';
import type { AllocationDocument } from '@metergate/platform/use-cases/allocation/rules-fields.ts';
import type { ShownAllocation } from '@metergate/platform/use-cases/allocation/shown-allocation.ts';
import { planConfiguration } from '@metergate/platform/use-cases/configuration/plan.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { stringify } from 'yaml';
import { command, commandGroup, UsageFault } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { onStore } from '../command-line/on-store.ts';
import { fields, shortDecimal, table } from '../command-line/table.ts';
import { readTextFile } from '../command-line/text-file.ts';
import { monthMs, givenWholeNumber } from '../command-line/value-forms.ts';
import { faultOfProblems, fileBytesMax, readConfiguration } from './apply.ts';

const show = command({
  description: 'Show the rules of allocation or, with --month, what each team pays',
  args: {
    org: orgArgument,
    month: { type: 'string', valueHint: 'YYYY-MM', description: 'The month, in UTC; if it is closed, as it was closed' },
    version: { type: 'string', valueHint: 'N', description: 'With --month: one of its closings, from 1' },
  },
  run: ({ org, month, version }, tools) => {
    if (month === undefined && version !== undefined) throw new UsageFault('--version needs --month YYYY-MM.');
    const query = month === undefined ? null : {
      organization: org, monthMs: monthMs('month', month),
      ...(version === undefined ? {} : { version: givenWholeNumber('version', version, { min: 1, max: 1_000_000 }) }),
    };
    return onStore(tools, async (context) => {
      if (query === null) {
        const found = await showAllocationRules(context, org);
        if (isRefusal(found)) return found;
        const { allocation: rules, hash } = found;
        return { json: found,
          text: rules === null ? 'There are no rules of allocation.' : `${stringify({ allocation: rules }).trimEnd()}\n# SHA-256 ${hash}` };
      }
      const shown = await showAllocation(context, query);
      return isRefusal(shown) ? shown : { json: shown, text: (width) => allocationText(shown, width) };
    });
  },
});

const tryIt = command({
  description: 'Show what the rules of a file would have moved from team to team in a month',
  args: {
    file: { type: 'positional', required: true, valueHint: 'FILE', description: 'A configuration file with the section allocation' },
    org: orgArgument,
    month: { type: 'string', required: true, valueHint: 'YYYY-MM', description: 'The month, in UTC; if it is closed, as it was closed' },
  },
  run: async (values, tools) => {
    const path = resolve(tools.cwd, values.file);
    const query = { organization: values.org, monthMs: monthMs('month', values.month) };
    const document = readConfiguration(await readTextFile(path, fileBytesMax), path);
    const allocation = (document.value as { readonly allocation?: unknown } | null)?.allocation;
    if (allocation === undefined || allocation === null) {
      throw faultOfProblems(path, document, [{ path: [], sentence: 'The file has no section allocation.' }]);
    }
    return onStore(tools, async (context) => {
      const checked = await planConfiguration(context, {
        document: { allocation }, organization: values.org, prune: false, rules: { allow: [] }, credentialOf: async () => ({ sentence: '' }),
      });
      if ('problems' in checked) throw faultOfProblems(path, document, checked.problems);
      if (isRefusal(checked)) return checked;
      const trial = await tryAllocation(context, query, allocation as AllocationDocument);
      return isRefusal(trial) ? trial : { json: trial, text: (width) => trialText(trial, width) };
    });
  },
});

const nobody = '(unallocated)';

/** What each team pays; money beside the cost only where there is any. */
function allocationText({ month, state, version, rulesHash, markup, currency, teams, totals }: ShownAllocation, width: number | null): string {
  const optional = ([['SPLIT', 'splitCost'], ['CORRECTION', 'correction'], ['LATE', 'late'],
    ['LATE CORR', 'lateCorrection'], ['MARKUP', 'markup']] as const)
    .filter(([, name]) => teams.some((team) => Number(team[name]) !== 0));
  const heads = ['TEAM', 'ACCOUNT', 'CENTRE', 'CALLS', 'LACKING', 'COST USD', ...optional.map(([head]) => head), 'CHARGE USD',
    ...(currency === null ? [] : [currency.code])];
  const rows = [...teams, { ...totals, team: 'all', account: null, costCentre: null }].map((team) => [
    team.team ?? nobody, team.account, team.costCentre, grouped(team.calls), grouped(team.unknownCalls + team.unpricedCalls + team.gapCalls),
    shortDecimal(team.cost), ...optional.map(([, name]) => shortDecimal(team[name])), shortDecimal(team.charge),
    ...(currency === null ? [] : [shortDecimal(team.converted ?? '0.000000000')]),
  ]);
  const about = fields([
    ['month', month], ['state', version === null ? state : `${state}, version ${version}`], ['rules', rulesHash ?? 'erased'],
    ...(markup === null ? [] : [['markup', `${shortDecimal(markup)} percent`] as const]),
    ...(currency === null ? [] : [['rate', `1 USD = ${shortDecimal(currency.rate)} ${currency.code}, ${currency.date}`] as const]),
  ]);
  return `${about}\n\n${table(heads, rows, { widthMax: width, shrinks: 'TEAM', drops: ['LACKING', 'CENTRE', 'ACCOUNT'] })}`;
}

function trialText({ month, teams, moved, adjustedCost }: AllocationTrial, width: number | null): string {
  const rows = teams.map(({ team, before, after, moved: by }) =>
    [team ?? nobody, before === null ? null : shortDecimal(before), after === null ? null : shortDecimal(after), shortDecimal(by)]);
  return `${table(['TEAM', 'BEFORE USD', 'AFTER USD', 'MOVED'], rows, { widthMax: width, shrinks: 'TEAM' })}\n`
    + `${shortDecimal(moved)} of ${shortDecimal(adjustedCost)} USD of ${month} would go to another team. Nothing was changed.`;
}

export const allocation = commandGroup('Show how months are allocated to teams, and try other rules', { show, try: tryIt });
