/** `metergate doctor`: what machine, data directory and store look like, and what to mend. Exit 1 where something fails. Design 5. */
import { command } from '../command-line/command.ts';
import { plain } from '../command-line/table.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';

export const doctor = command({
  description: 'Check runtime, settings, data directory, store, ports and connections',
  args: {},
  run: async (_values, tools) => {
    const report = await examine(tools);
    return { json: report, text: report.checks.map(line).join('\n'), exitCode: report.ok ? 0 : 1 };
  },
});

const mark: { readonly [S in Finding['state']]: string } = { ok: ' ok ', warn: 'warn', fail: 'FAIL' };

function line({ name, state, message }: Finding): string {
  return `${mark[state]}  ${name.padEnd(16)}  ${plain(message)}`;
}
