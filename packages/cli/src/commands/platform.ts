/** `metergate platform`: one part alone, on a shared PostgreSQL, until a signal ends it. Design 5. */
import { settingsOf } from '../command-line/on-store.ts';
import { command } from '../command-line/command.ts';

export const platform = command({
  description: 'Run administration and reports alone on a shared store',
  args: {},
  answers: false,
  run: async (_args, tools) => {
    const config = settingsOf(tools);
    const { startProduct } = await import('../start/start.ts');
    return {
      ended: await startProduct({
        config, part: 'platform', sandbox: false, env: tools.env, isTerminal: tools.isTerminal,
        stdout: (line) => tools.stdout(`${line}\n`), stderr: (line) => tools.stderr(`${line}\n`),
      }),
    };
  },
});
