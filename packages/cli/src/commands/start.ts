/** `metergate start`: everything on one machine, until a signal ends it. Design 5. */
import { settingsOf } from '../command-line/on-store.ts';
import { command } from '../command-line/command.ts';

export const start = command({
  description: 'Run everything on this machine',
  args: { sandbox: { type: 'boolean', description: 'Add a simulated provider, for trying without a provider key' } },
  answers: false,
  run: async ({ sandbox }, tools) => {
    const config = settingsOf(tools);
    const { startProduct } = await import('../start/start.ts');
    return {
      ended: await startProduct({
        config, part: 'all', sandbox: sandbox === true, env: tools.env, isTerminal: tools.isTerminal,
        stdout: (line) => tools.stdout(`${line}\n`), stderr: (line) => tools.stderr(`${line}\n`),
      }),
    };
  },
});
