/** `metergate refusals`: which keys were refused, why and how often; with `--log` or a filter, each single refusal that is kept. */
import { pastWeekUnless, rangeOf } from '@metergate/core/time/time-range.ts';
import { listRefusals, refusalLogMax } from '@metergate/platform/use-cases/refusal-log.ts';
import { showRefusals, type ShownRefusals } from '@metergate/platform/use-cases/refusals.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, type CommandTools } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore } from '../command-line/on-store.ts';
import { listed, secondsText, table } from '../command-line/table.ts';
import { givenRange, rangeWords, givenWholeNumber } from '../command-line/value-forms.ts';

const limitDefault = 100;

export const refusals = command({
  description: 'Show which service keys were refused, why and how often, or each refused call',
  args: {
    org: orgArgument,
    since: { type: 'string', valueHint: 'T', description: 'From this time on, counts by whole hours; seven days ago by default' },
    until: { type: 'string', valueHint: 'T', description: 'Up to this time' },
    log: { type: 'boolean', description: 'Each refused call, newest first, kept for fourteen days at most' },
    request: { type: 'string', valueHint: 'ID', description: 'The refused call with this id: either of those in its answer' },
    key: { type: 'string', valueHint: 'KEY', description: 'Refused calls with this service key, by id' },
    run: { type: 'string', valueHint: 'RUN', description: 'Refused calls of this run' },
    code: { type: 'string', valueHint: 'CODE', description: 'Calls refused with this error code' },
    limit: { type: 'string', valueHint: 'N', description: `At most this many calls: ${limitDefault} unless given, up to ${refusalLogMax}` },
  },
  run: ({ org, since, until, log, limit, request, key, run, code }, tools) => {
    const nowMs = tools.nowMs();
    const range = givenRange(rangeOf(rangeWords({ since, until }), nowMs));
    const filter = { request, key, run, code };
    if (log !== true && limit === undefined && Object.values(filter).every((asked) => asked === undefined)) {
      return counted(tools, { organization: org, ...pastWeekUnless(range, nowMs) });
    }
    const most = givenWholeNumber('limit', limit ?? String(limitDefault), { min: 1, max: refusalLogMax });
    const query = { organization: org, ...range, filter, limit: most };
    return onStore(tools, async (context) => {
      const entries = await listRefusals(context, query);
      const none = 'No such refused call is kept. The newest of each key are kept, for fourteen days at most.';
      return isRefusal(entries) ? entries : listed(entries, none, {
        REFUSED: ({ refusedAt }) => secondsText(refusedAt), CODE: ({ code }) => code, BUDGET: ({ scope, window }) => budgetOf(scope, window),
        RUN: (each) => each.run, KEY: (each) => each.key, ID: ({ id }) => id,
      }, { shrinks: ['RUN', 'KEY'], drops: ['KEY', 'BUDGET'] });
    });
  },
});

function counted(tools: CommandTools, asked: Parameters<typeof showRefusals>[1]) {
  return onStore(tools, async (context) => {
    const report = await showRefusals(context, asked);
    if (isRefusal(report)) return report;
    const names = await context.store.keyNames.names(report.organization, report.rows.flatMap(({ key }) => key ?? []));
    return { json: report.rows, text: (width: number | null) => refusalsText(report.rows, report.total, { names, width }) };
  });
}

export function refusalsText(
  rows: readonly ShownRefusals[], total: number,
  { names, width }: { readonly names: ReadonlyMap<string, string | null>; readonly width: number | null },
): string {
  if (rows.length === 0) return 'No call was refused.';
  const cells = rows.map(({ key, code, scope, window, refusals: times, lastHour }) =>
    [key ?? '(many)', key === null ? null : names.get(key) ?? null, code, budgetOf(scope, window), times, secondsText(lastHour)]);
  const text = table(['KEY', 'NAME', 'CODE', 'BUDGET', 'REFUSALS', 'LAST HOUR'], cells,
    { widthMax: width, shrinks: ['NAME', 'KEY'], drops: ['LAST HOUR', 'NAME'] });
  return `${text}\nTogether ${countOf(total, 'refusal')}. Calls with a key that is not known are not among them.`;
}

function budgetOf(scope: ShownRefusals['scope'], window: ShownRefusals['window']): string | null {
  return scope === null ? null : scope === 'run' ? 'run' : `${scope} ${window}`;
}
