/** `metergate export`: the calls of a time as a file. Design 3, row 25; 5. */
import { resolve } from 'node:path';
import { exportCalls, exportFormats, type ExportFormat } from '@metergate/platform/use-cases/exports.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command } from '../command-line/command.ts';
import { onStore } from '../command-line/on-store.ts';
import { timeMs } from '../command-line/value-forms.ts';
import { writeWhole } from '../command-line/whole-file.ts';

/** Between two words about how far it is. */
const progressMs = 5_000;

export const exportCommand = command({
  description: 'Write the calls of a time to a file',
  args: {
    org: { type: 'string', required: true, valueHint: 'ORG', description: 'Organization, by id or unique name' },
    format: { type: 'enum', options: [...exportFormats], required: true, description: 'Records as jsonl or csv, costs by day as focus (FOCUS 1.2)' },
    from: { type: 'string', required: true, valueHint: 'T', description: 'Calls that started at or after this time: 2026-11-01, yesterday, 7d, …' },
    to: { type: 'string', required: true, valueHint: 'T', description: 'Calls that started before this time' },
    out: { type: 'string', required: true, valueHint: 'FILE', description: 'Where to; a file that is there is replaced once all is written' },
  },
  run: ({ org, format, from, to, out }, tools) => {
    const [fromMs, toMs] = [timeMs('from', from, tools.nowMs()), timeMs('to', to, tools.nowMs())];
    const query = { organization: org, format: format as ExportFormat, fromMs, toMs };
    const path = resolve(tools.cwd, out);
    return onStore(tools, async (context) => {
      const made = await exportCalls(context, query);
      if (isRefusal(made)) return made;
      let calls = 0;
      let saidMs = performance.now();
      const bytes = await writeWhole(path, (async function* () {
        for await (const piece of made.pieces) {
          calls += piece.calls;
          yield piece.text;
          if (performance.now() - saidMs < progressMs) continue;
          saidMs = performance.now();
          tools.stderr(`metergate: ${calls} calls so far\n`);
        }
      })());
      const json = { file: path, format, from: new Date(query.fromMs).toISOString(), to: new Date(query.toMs).toISOString(), calls, bytes };
      return { json, text: `${calls === 1 ? '1 call' : `${calls} calls`} written to ${out}.` };
    });
  },
});
