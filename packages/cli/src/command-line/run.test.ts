/** An internal fault of a command ends the process, whatever it had started; after a refusal the process ends by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command, CommandFault, type CommandTools } from './command.ts';
import { runProgram } from './run.ts';

async function outcomeOf(error: Error) {
  const said: string[] = [];
  const failing = command({ description: 'Fails', args: {}, run: async () => { throw error; } });
  const tools = { stdout: () => true, stderr: (text: string) => said.push(text) } as Partial<CommandTools> as CommandTools;
  const table = { fail: async () => failing };
  return { outcome: await runProgram({ name: 'metergate', description: '', version: '0', commands: table }, ['fail'], tools), said: said.join('') };
}

test('an internal fault is reported and ends the process, so that no remaining thread keeps a start half alive', async () => {
  const { outcome, said } = await outcomeOf(new ReferenceError('gone is not defined'));
  assert.deepEqual(outcome, { exitCode: 1, ended: true });
  assert.match(said, /^metergate: an internal fault: ReferenceError: gone is not defined/);
});

test('a refusal ends by itself', async () => {
  const { outcome } = await outcomeOf(new CommandFault('not_now', 'Not now.'));
  assert.deepEqual(outcome, { exitCode: 1, ended: false });
});
