/** `metergate start`, `gateway` and `platform`: all of the product or one part of it, until a signal ends it. Rules: Interfaces. */
import { settingsOf } from '../command-line/settings-of.ts';
import { command, CommandFault, type CommandTools } from '../command-line/command.ts';
import type { StartOptions } from '../start/start.ts';

const sandboxArgument = { sandbox: { type: 'boolean', description: 'Add a simulated provider, for trying without a provider key' } } as const;

export const start = serving('all', 'Run everything on this machine');
export const gateway = serving('gateway', 'Forward calls as one of the gateway nodes on a shared store');
export const platform = serving('platform', 'Run only administration and reports, on a shared store');

/** The simulated provider runs only with everything on one machine. */
function serving(part: StartOptions['part'], description: string) {
  return command({
    description,
    args: part === 'all' ? sandboxArgument : {},
    answers: false,
    run: async (args: { readonly sandbox?: boolean }, tools) => {
      const config = settingsOf(tools);
      const { startProduct } = await import('../start/start.ts');
      return {
        ended: await startProduct({
          config, part, sandbox: args.sandbox === true, env: tools.env, isTerminal: tools.isTerminal,
          stdout: (line) => sayIfPossible(tools, line), stderr: (line) => tools.stderr(`${line}\n`),
        }),
      };
    },
  });
}

/** A full disk under its output keeps no server from its work. */
function sayIfPossible({ stdout, stderr }: CommandTools, line: string): void {
  try {
    stdout(`${line}\n`);
  } catch (error) {
    if (!(error instanceof CommandFault)) throw error;
    stderr(`metergate: ${error.message}\n`);
  }
}
