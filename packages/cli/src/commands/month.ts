/** `metergate month`: a month closed, shown, reopened, and verified from its file. Rule 24b; docs/month.md. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { grouped } from '@metergate/core/books/allocation/page-amounts.ts';
import type { MonthFault, MonthVerdict } from '@metergate/core/books/month/verify-month.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { checkMonth } from '@metergate/platform/use-cases/months/check-month.ts';
import {
  closeAndShow, exportMonth, listMonths, reopenMonth, showMonth, type MonthQuery, type ShownMonth,
} from '@metergate/platform/use-cases/months/months.ts';
import { isRefusal, type AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, commandGroup, type CommandTools } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore, showing } from '../command-line/on-store.ts';
import { fields, listed, secondsText, shortDecimal } from '../command-line/table.ts';
import { givenDurationMs, monthArgumentMs, givenWholeNumber } from '../command-line/value-forms.ts';
import { writeWhole } from '../command-line/whole-file.ts';
import { publicKeysIn, storeBehindHead, storeLacksMonth, unreadableFile } from '../receipts/verify-file.ts';
import { statementArguments, writeStatement } from './statement.ts';

const args = {
  month: { type: 'positional', required: true, valueHint: 'YYYY-MM', description: 'The month, in UTC' },
  org: orgArgument,
} as const;
const versionArgument = {
  version: { type: 'string', valueHint: 'N', description: 'One of its closings, from 1; by default the latest in force' },
} as const;

function queryOf({ month, org, version }: { readonly month: string; readonly org: string; readonly version?: string | undefined }): MonthQuery {
  return {
    organization: org, monthMs: monthArgumentMs(month),
    ...(version === undefined ? {} : { version: givenWholeNumber('version', version, { min: 1, max: 1_000_000 }) }),
  };
}

const answerOf = (shown: ShownMonth | AdministrationRefusal) => isRefusal(shown) ? shown : { json: shown, text: monthText(shown) };

const show = command({
  description: 'Show a month, as it is or as it was closed', args: { ...args, ...versionArgument },
  run: (values, tools) => onStore(tools, async (context) => answerOf(await showMonth(context, queryOf(values)))),
});

const close = command({
  description: 'Freeze and sign the figures of a month that is over', takesAway: true,
  args: {
    ...args,
    without: { type: 'string', valueHint: 'NODE,…', description: 'Nodes whose calls are not waited for' },
    'go-on': { type: 'boolean', description: 'Wait for no node' },
    wait: { type: 'string', valueHint: 'TIME', description: 'Try again until every node has shipped, at most for 30s, 15m, 24h, …' },
  },
  run: (values, tools) => {
    const untilMs = values.wait === undefined ? null : tools.nowMs() + givenDurationMs('wait', values.wait);
    const input = {
      ...queryOf({ month: values.month, org: values.org }), goOn: values['go-on'],
      ...(values.without === undefined ? {} : { without: values.without.split(',') }),
    };
    return onStore(tools, async (context) =>
      answerOf(await closeUntil(untilMs, tools, () => closeAndShow({ ...context, nowMs: tools.nowMs() }, input))));
  },
});

const tryEveryMs = 5_000;

/** Tries to close until no node is waited for, or it is `untilMs`; null: once. What it waits for is printed when it begins to. */
async function closeUntil<Closed>(
  untilMs: number | null, tools: CommandTools, close: () => Promise<Closed | AdministrationRefusal>,
): Promise<Closed | AdministrationRefusal> {
  const pause = tools.pause ?? ((ms) => setTimeout(ms));
  for (let said = false;;) {
    const answer = await close();
    const leftMs = untilMs === null ? 0 : untilMs - tools.nowMs();
    if (!isRefusal(answer) || answer.refused.code !== 'month_waiting' || leftMs <= 0) return answer;
    if (!said) tools.stderr(`${answer.refused.message.replace(/ Try again later.*/, '')} Waiting until ${secondsText(isoText(untilMs!))}.\n`);
    said = true;
    await pause(Math.min(tryEveryMs, leftMs));
  }
}

const reopen = command({
  description: 'Open the last closed month again, keeping what was closed', takesAway: true, args,
  run: (values, tools) => onStore(tools, async (context) => answerOf(await reopenMonth(context, queryOf(values)))),
});

const list = command({
  description: 'List the months that were ever closed', args: { org: args.org },
  run: ({ org }, tools) => showing(tools, (context) => listMonths(context, org),
    (months) => listed(months, 'No month was closed yet.', {
      MONTH: (each) => each.month, STATE: ({ state }) => state, VERSION: ({ version }) => version, CALLS: ({ calls }) => grouped(calls),
      'COST USD': ({ cost }) => shortDecimal(cost), CORRECTION: ({ correction }) => shortDecimal(correction),
      LATE: ({ late }) => shortDecimal(late), 'LATE CORRECTION': ({ lateCorrection }) => shortDecimal(lateCorrection),
      ADJUSTED: ({ adjustedCost }) => shortDecimal(adjustedCost), CLOSED: ({ closedAt }) => secondsText(closedAt),
    }, { shrinks: 'CLOSED' })),
});

const exportFile = command({
  description: 'Write a closed month to a file that anyone can verify',
  args: {
    ...args, ...versionArgument,
    out: { type: 'string', required: true, valueHint: 'FILE', description: 'Output file; an existing one is replaced once all is written' },
  },
  run: (values, tools) => onStore(tools, async (context) => {
    const made = await exportMonth(context, queryOf(values));
    if (isRefusal(made)) return made;
    const { pieces } = made;
    const bytes = await writeWhole(resolve(tools.cwd, values.out), (async function* () { for await (const each of pieces) yield each.bytes; })());
    return {
      json: { bytes, out: values.out },
      text: `${values.month} is written to ${values.out}.\nVerify with: metergate month verify ${values.out} --public-key KEY.pem`,
    };
  }),
});

const statement = command({
  description: 'Write a month, or what each team pays of it, as one printable HTML page (as it was closed, if it is)',
  args: { month: args.month, ...statementArguments }, run: writeStatement,
});

const verify = command({
  description: 'Verify the file of a closed month, without a store',
  args: {
    file: { type: 'positional', required: true, valueHint: 'FILE', description: 'As month export wrote it' },
    'public-key': {
      type: 'string', valueHint: 'FILE',
      description: 'The key, in PEM, as receipts public-key printed it; without it the file is only checked against its own keys',
    },
  },
  run: async (values, tools) => {
    const given = values['public-key'];
    const path = resolve(tools.cwd, values.file);
    const verdict = await checkMonth(createReadStream(path), given === undefined ? null : publicKeysIn(resolve(tools.cwd, given)))
      .catch((error: unknown) => { throw unreadableFile(path, error); });
    const { valid, organization, sequence, hash } = verdict;
    const behind = !valid || organization === null || sequence === null || hash === null ? null
      : await storeBehindHead(tools, { organization, last: sequence, hash });
    const lacks = behind === null && valid && await storeLacksMonth(tools, verdict);
    const storeBehind = behind === null ? (lacks ? { storeLacks: { month: verdict.month, version: verdict.version } } : {})
      : behind.shorter ? { storeBehind: { store: behind.store, file: behind.file } } : { storeDiffers: { at: behind.file } };
    return {
      json: { ...verdict, keyGiven: given !== undefined, ...storeBehind },
      text: verdictText(verdict, given !== undefined) + (behind === null ? lacksText(lacks) : behind.shorter
        ? `\nBut the chain of the store here ends at ${behind.store}, before the month's ${behind.file}: it was restored to an earlier moment.`
        : `\nBut the store here has another receipt at ${behind.file}: it was restored to an earlier moment, and went on from there.`),
      exitCode: valid && behind === null && !lacks ? 0 : 1,
    };
  },
});

function lacksText(lacks: boolean): string {
  return lacks ? '\nBut the store here does not know this closing: it was restored to an earlier moment.' : '';
}

const faultText: { readonly [F in MonthFault]: string } = {
  malformed: 'the file of a month has no line of this form there',
  name_differs: 'the name is not the one that was frozen',
  lines_differ: 'the lines before it are not those that were signed',
  bad_signature: 'the end is not signed by the key it names',
  sums_differ: 'its lines do not add up to its total',
  unknown_key: 'the file is signed by a key that is not the one given, or that the keys before it do not vouch for',
  cut: 'the file stops there, before its signed end',
};

function verdictText(verdict: MonthVerdict, keyGiven: boolean): string {
  const { valid, fault, line, month, version, organization, closedAt, adjustedCost, withoutNames } = verdict;
  if (!valid) return `NOT VALID at line ${line}: ${fault === null ? '' : faultText[fault]}.`;
  const names = withoutNames === 0 ? '' : ` Erased: ${countOf(withoutNames, 'name')}.`;
  const key = keyGiven ? '' : '\nIt was checked only against the keys in the file. To know who signed it, give --public-key.';
  return `Valid: ${month} of ${organization}, version ${version}, closed at ${secondsText(closedAt)}: ${adjustedCost} USD.${names}${key}`;
}

function monthText({ month, state, version, figures, correction, late, adjustedCost, nodes, versions }: ShownMonth): string {
  return [
    fields([
      ['month', month], ['state', version === null ? state : `${state}, version ${version}`], ['calls', grouped(figures.calls)],
      ['cost', `${figures.cost} USD`], ['correction', `${correction} USD`],
      ...late.map((each) =>
        [`late, of ${each.month}`, `${countOf(each.calls, 'call')}, ${each.cost} USD; correction ${each.correction} USD`] as const),
      ['adjusted', `${adjustedCost} USD`],
      ['lacking', `${figures.unknownCalls} unknown, ${figures.unpricedCalls} unpriced, ${figures.gapCalls} with gaps`],
      ...nodes.map(({ node, reason }) => [version === null ? 'waits for' : 'closed without', `${node}: ${reason}`] as const),
      ...versions.map((each) => [`version ${each.version}`,
        `closed ${secondsText(each.closedAt)}${each.reopenedAt === null ? '' : `, reopened ${secondsText(each.reopenedAt)}`}, `
          + `receipts up to ${each.sequence}`] as const),
    ]),
  ].join('\n');
}

export const month = commandGroup('Close months, and show, export and verify them', {
  show, close, reopen, list, statement, export: exportFile, verify,
});
