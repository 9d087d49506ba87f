/** `metergate run`: runs of an organization, listed, shown, closed. Spec: Run; rule 13; rules: Interfaces. */
import { closeRun, listRuns, showRun, type ShownRun } from '@metergate/platform/use-cases/runs.ts';
import { command, commandGroup } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { showing } from '../command-line/on-store.ts';
import { fields, listed, secondsText, shortDecimal } from '../command-line/table.ts';

const runArgument = { type: 'positional', required: true, valueHint: 'RUN', description: 'Its id, as x-svc-run-id names it' } as const;

const list = command({
  description: 'List runs, the newest first, 10,000 at most',
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => listRuns(context, { organization: org }),
    (shown) => listed(shown, 'This organization has no runs.', {
      ID: ({ id }) => id, STATE: ({ state }) => state, 'SPENT USD': ({ spent }) => shortDecimal(spent),
      'BUDGET USD': ({ effective }) => (effective === null ? null : shortDecimal(effective)), UNKNOWN: ({ unknownCalls }) => unknownCalls,
      UNPRICED: ({ unpricedCalls }) => unpricedCalls, GAPS: ({ gapCalls }) => gapCalls,
      STARTED: ({ startedAt }) => secondsText(startedAt), EXPIRES: ({ expiresAt }) => secondsText(expiresAt),
    }, { shrinks: [], drops: ['EXPIRES', 'GAPS', 'UNPRICED', 'UNKNOWN', 'STARTED'] })),
});

const show = command({
  description: 'Show a run with what it has spent',
  args: { run: runArgument, org: orgArgument },
  run: ({ run: id, org }, tools) => showing(tools, (context) => showRun(context, { organization: org, run: id }),
    (shown) => ({ json: shown, text: runText(shown) })),
});

const close = command({
  description: 'Close a run for good, while calls in flight finish normally',
  takesAway: true,
  args: { run: runArgument, org: orgArgument },
  run: ({ run, org: organization }, tools) => showing(tools, (context) => closeRun(context, { organization, run }), (closed) => {
    const text = runText(closed);
    return { json: closed, text: closed.state === 'closed' ? text : `${text}\nThis run had ended before; nothing was changed.` };
  }),
});

function runText(run: ShownRun): string {
  return fields([
    ['id', run.id], ['state', run.state], ['budget', dollarsText(run.budget)], ['effective', dollarsText(run.effective)],
    ['clamp reason', run.clampReason], ['spent', dollarsText(run.spent)], ['unknown calls', run.unknownCalls],
    ['unpriced calls', run.unpricedCalls], ['calls with cost gaps', run.gapCalls],
    ['started', secondsText(run.startedAt)], ['expires', secondsText(run.expiresAt)], ['ended', secondsText(run.endedAt)],
  ]);
}

function dollarsText(amount: string | null): string | null {
  return amount === null ? null : `${shortDecimal(amount)} USD`;
}

export const run = commandGroup('List, show and close runs', { list, show, close });
