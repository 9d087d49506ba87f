/** `metergate statement`: a month's usage on one printable page. Rules: Interfaces. */
import { resolve } from 'node:path';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { makeStatement } from '@metergate/platform/use-cases/statement.ts';
import { command, type CommandResult, type CommandTools } from '../command-line/command.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore } from '../command-line/on-store.ts';
import { warnOfRemovedRecords } from '../command-line/records-gone.ts';
import { monthMs } from '../command-line/value-forms.ts';
import { writeWhole } from '../command-line/whole-file.ts';

export const statement = command({
  description: 'Write the usage of a month as one printable HTML page',
  args: {
    org: { type: 'string', required: true, valueHint: 'ORG', description: 'Organization, by id or unique name' },
    month: { type: 'string', required: true, valueHint: 'YYYY-MM', description: 'The month, in UTC' },
    project: { type: 'string', valueHint: 'PROJECT', description: 'Only calls for this project' },
    out: { type: 'string', required: true, valueHint: 'FILE', description: 'Output file; an existing one is replaced' },
  },
  run: writeStatement,
});

interface StatementValues {
  readonly org: string;
  readonly month: string;
  readonly project: string | undefined;
  readonly out: string;
}

/** Writes the page of a month, closed or not. @throws UsageFault for a month in another form. */
export function writeStatement({ org, month, project, out }: StatementValues, tools: CommandTools): Promise<CommandResult> {
  const query = { organization: org, monthMs: monthMs('month', month), ...(project === undefined ? {} : { project }) };
  return onStore(tools, async (context) => {
    const made = await makeStatement(context, query);
    if (isRefusal(made)) return made;
    await warnOfRemovedRecords(context, { organization: org, sinceMs: query.monthMs }, tools);
    const bytes = await writeWhole(resolve(tools.cwd, out), (async function* () { yield Buffer.from(made.html, 'utf8'); })());
    const { calls, cost } = made.totals;
    return { json: { calls, cost, bytes, out }, text: `Statement of ${month}: ${countOf(calls, 'call')}, ${cost} USD, written to ${out}.` };
  });
}
