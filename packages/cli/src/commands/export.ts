/** `metergate export`: the calls of a time as a file. Rule 25; rules: Interfaces. */
import { resolve } from 'node:path';
import { grouped } from '@metergate/core/books/allocation/page-amounts.ts';
import { formatDollars, type NanoDollars } from '@metergate/core/money.ts';
import { monthAfter } from '@metergate/core/time/utc-month.ts';
import type { UseCaseContext } from '@metergate/platform/use-cases/context.ts';
import {
  exportCalls, exportFormats, exportLayout, type ExportFormat, type ExportPlace, type ExportQuery,
} from '@metergate/platform/use-cases/exports.ts';
import { isRefusal, type AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { countCalls } from '@metergate/platform/use-cases/usage.ts';
import { command, CommandFault, UsageFault, type CommandTools } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore } from '../command-line/on-store.ts';
import { createProgress } from '../command-line/progress.ts';
import { warnOfRemovedRecords } from '../command-line/records-gone.ts';
import { openResumable, type ResumableFile } from '../command-line/resumable-file.ts';
import { plain } from '../command-line/table.ts';
import { monthMs, timeMs } from '../command-line/value-forms.ts';

export const exportCommand = command({
  description: 'Export the calls of a time range to a file, or resume an interrupted export',
  args: {
    org: orgArgument,
    format: {
      type: 'enum', options: [...exportFormats], required: true, description: 'Records as jsonl, csv or parquet; costs by day as focus (FOCUS 1.2)',
    },
    month: { type: 'string', valueHint: 'YYYY-MM', description: 'Calls of this month, in UTC; or give --from and --to' },
    from: { type: 'string', valueHint: 'T', description: 'Calls that started at or after this time: 2026-11-01, yesterday, 7d, …' },
    to: { type: 'string', valueHint: 'T', description: 'Calls that started before this time' },
    adjusted: { type: 'boolean', description: 'Calls that were priced again (reprice) at the cost of their corrections' },
    out: {
      type: 'string', required: true, valueHint: 'FILE',
      description: 'Output file, or - for standard output; an existing file is replaced once all is written',
    },
  },
  run: ({ org, format, month, from, to, adjusted, out }, tools) => {
    const { fromMs, toMs } = spanOf({ month, from, to }, tools.nowMs());
    const asked = { organization: org, format: format as ExportFormat, fromMs, toMs, adjusted: adjusted === true };
    if (out === '-' && tools.wantsJson === true) throw new UsageFault('--json needs a file: with --out - standard output is the export itself.');
    return onStore(tools, async (context) => {
      await warnOfRemovedRecords(context, { organization: org, sinceMs: fromMs }, tools);
      if (out === '-') return toStandardOutput(context, asked, tools);
      const path = resolve(tools.cwd, out);
      const words = [org, format, ...(month === undefined ? [from, to] : [month]), ...(adjusted === true ? ['adjusted'] : [])];
      return toFile(context, asked, { tools, path, out, identity: [...words, exportLayout(asked.format).join()].join('\n') });
    });
  },
});

/** The range of `--month`, or of `--from` and `--to`. @throws UsageFault for neither, both, or no time between them. */
function spanOf(
  { month, from, to }: { readonly month?: string | undefined; readonly from?: string | undefined; readonly to?: string | undefined }, nowMs: number,
): Pick<ExportQuery, 'fromMs' | 'toMs'> {
  if (month !== undefined) {
    if (from !== undefined || to !== undefined) throw new UsageFault('--month cannot be combined with --from or --to.');
    const fromMs = monthMs('month', month);
    return { fromMs, toMs: monthAfter(fromMs) };
  }
  if (from === undefined || to === undefined) throw new UsageFault('export needs --month, or --from and --to.');
  const span = { fromMs: timeMs('from', from, nowMs), toMs: timeMs('to', to, nowMs) };
  if (span.toMs <= span.fromMs) throw new UsageFault('--to must be after --from.');
  return span;
}

interface Totals {
  readonly calls: number;
  readonly cost: bigint;
}

/** Kept beside a part: the times that relative words meant then, so that an attempt on another day continues with the same. */
interface KeptState extends Pick<ExportQuery, 'fromMs' | 'toMs'> {
  readonly place: ExportPlace;
  readonly calls: number;
  readonly cost: string;
}

interface FileTarget {
  readonly tools: CommandTools;
  readonly path: string;
  readonly out: string;
  /** The command as given, and the columns: a part is continued only by exactly the same ones, so not by a version with other columns. */
  readonly identity: string;
}

async function toFile(context: UseCaseContext, asked: ExportQuery, { tools, path, out, identity }: FileTarget) {
  const refused = await exportCalls(context, asked);
  if (isRefusal(refused)) return refused;
  const file = await openResumable(path, identity);
  const kept = file.found as KeptState | null;
  const query = kept === null ? asked : { ...asked, fromMs: kept.fromMs, toMs: kept.toMs, resumeAt: kept.place };
  let totals: Totals | AdministrationRefusal;
  try {
    const before = kept === null ? { calls: 0, cost: 0n } : { calls: kept.calls, cost: BigInt(kept.cost) };
    totals = await written(context, query, { tools, file, from: before });
    if (isRefusal(totals)) {
      await file.breakOff();
      return totals;
    }
    await file.finish();
  } catch (error) {
    throw continuable(error, await file.breakOff(), file.part === `${path}.part` ? `${out}.part` : file.part);
  }
  const { bytes } = file;
  const cost = formatDollars(totals.cost as NanoDollars);
  return {
    json: { calls: totals.calls, cost, bytes, out },
    text: `${countOf(totals.calls, 'call')}, ${cost} USD, ${grouped(bytes)} bytes written to ${out}.`,
  };
}

/** The error, and how much is kept of a file that could not be finished. */
function continuable(error: unknown, kept: number, part: string): unknown {
  if (!(error instanceof CommandFault) || error.code !== 'file_not_written' || kept === 0) return error;
  const words = `${grouped(kept)} bytes are kept in ${plain(part)}: make room, and the same command continues after them.`;
  return new CommandFault(error.code, `${error.message} ${words}`);
}

async function written(
  context: UseCaseContext, query: ExportQuery,
  { tools, file, from }: { readonly tools: CommandTools; readonly file: ResumableFile; readonly from: Totals },
): Promise<Totals | AdministrationRefusal> {
  const made = await exportCalls(context, query);
  if (isRefusal(made)) return made;
  const progress = createProgress(tools, { what: 'calls', total: await countCalls(context, query), from: from.calls });
  let { calls, cost } = from;
  try {
    for await (const piece of made.pieces) {
      await file.write(piece.bytes);
      calls += piece.calls;
      cost += piece.cost;
      const { fromMs, toMs } = query;
      if (piece.place !== null) await file.mark({ fromMs, toMs, place: piece.place, calls, cost: String(cost) } satisfies KeptState);
      progress.at(calls);
    }
  } finally {
    progress.end();
  }
  return { calls, cost };
}

/** Only the export goes to standard output, at the reader's pace; everything else goes to standard error. */
async function toStandardOutput(context: UseCaseContext, query: ExportQuery, tools: CommandTools) {
  const made = await exportCalls(context, query);
  if (isRefusal(made)) return made;
  let calls = 0;
  let cost = 0n;
  const write = tools.stdoutBytes ?? (async (bytes: Uint8Array) => tools.stdout(Buffer.from(bytes).toString('utf8')));
  for await (const piece of made.pieces) {
    await write(piece.bytes);
    calls += piece.calls;
    cost += piece.cost;
  }
  tools.stderr(`metergate: ${countOf(calls, 'call')}, ${formatDollars(cost as NanoDollars)} USD.\n`);
  return { printed: true } as const;
}
