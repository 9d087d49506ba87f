/** `metergate doctor`: checks the machine, the data directory and the store, and says what to fix. Exit 1 if a check fails. Rules: Interfaces. */
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

const nameWidth = 16;
const widthMax = 120;

function line({ name, state, message }: Finding): string {
  const head = `${mark[state]}  ${name.padEnd(nameWidth)}  `;
  return head + wrapped(plain(message), widthMax - head.length).join(`\n${' '.repeat(head.length)}`);
}

/** Lines of whole words; a word longer than a line gets its own. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
