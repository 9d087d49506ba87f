/**
 * The context of a command that works on the store: it reads the settings, opens the store, does the work and closes the store. Any failure
 * is thrown as a fault with one sentence. @throws CommandFault, StoreFault, MasterKeyFault
 */
import type { UseCaseContext } from '@metergate/platform/use-cases/context.ts';
import { isRefusal, type AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import type { AuditIntent } from '@metergate/store/engine/change.ts';
import type { Config } from '../config/config.ts';
import { openExistingStore } from './open-store.ts';
import type { CommandAnswer, CommandResult, CommandTools } from './command.ts';
import { settingsOf } from './settings-of.ts';

export async function onStore<Result>(tools: CommandTools, work: (context: UseCaseContext, config: Config) => Promise<Result>): Promise<Result> {
  const config = settingsOf(tools);
  const store = await openExistingStore(config);
  try {
    return await work({ store: store.acting(intentOf(tools)), randomBytes: tools.randomBytes, nowMs: tools.nowMs() }, config);
  } finally {
    await store.close();
  }
}

/** For a command that asks one use case: its refusal as it is, any other answer as `show` presents it. */
export function showing<Answer>(
  tools: CommandTools, ask: (context: UseCaseContext) => Promise<Answer | AdministrationRefusal>,
  show: (answer: Answer, context: UseCaseContext) => CommandAnswer,
): Promise<CommandResult> {
  return onStore(tools, async (context) => {
    const answer = await ask(context);
    return isRefusal(answer) ? answer : show(answer, context);
  });
}

/** The operator, and the command's arguments under the names that the platform's HTTP has for them. */
function intentOf({ operator = null, given = {} }: Pick<CommandTools, 'operator' | 'given'>): AuditIntent {
  const named = Object.entries(given).filter(([name]) => name !== 'org')
    .map(([name, value]) => [name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()), value] as const);
  return { actor: { kind: 'operator', id: null, name: operator }, detail: Object.fromEntries(named) };
}
