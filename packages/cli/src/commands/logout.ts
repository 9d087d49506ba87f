/** `metergate logout`: every file as it was before `metergate login`. Decision 196. */
import { command, UsageFault, type CommandResult, type CommandTools } from '../command-line/command.ts';
import { readTypedLine } from '../command-line/typed-line.ts';
import { dropState, keepState, readState, statePath } from '../login/login-state.ts';
import { endKey } from '../login/platform-client.ts';
import { machineOf, mayAsk } from '../login/this-machine.ts';
import { restore, restored, type FileOutcome, type Restored } from '../login/write-settings.ts';

export const logout = command({
  description: 'Take back what metergate login wrote on this machine',
  args: {
    'end-key': { type: 'boolean', description: 'End the key for good too' },
    yes: { type: 'boolean', description: 'Do not ask for confirmation; needed without a terminal' },
  },
  run: (values, tools) => loggedOut(tools, { yes: values.yes === true, endsKey: values['end-key'] === true }),
});

async function loggedOut(tools: CommandTools, { yes, endsKey }: { readonly yes: boolean; readonly endsKey: boolean }): Promise<CommandResult> {
  const place = statePath(machineOf(tools).home, tools.env);
  const state = readState(place);
  if (state === null) return { json: { restored: [], failed: [], keyEnded: false }, text: 'Nobody is logged in on this machine.' };
  if (!yes && !mayAsk(tools)) throw new UsageFault('metergate logout changes settings. Without a terminal, or with --json, confirm it with --yes.');
  // Newest first: a file that was written twice goes back in two steps.
  const looks = state.files.toReversed().map((written) => ({ written, look: restored(written) }));
  tools.stderr(`Logged in at ${state.platform} as ${state.person}, key ${state.prefix}…\n\n`);
  for (const { look } of looks) if (look !== null) tools.stderr(`  ${shownRestoring(look)}\n`);
  const answer = yes ? (endsKey ? 'end' : 'yes')
    : (await readTypedLine(tools, '\nTake these back? yes, or end to end the key too, or no: ')).trim().toLowerCase();
  if (!['yes', 'y', 'end'].includes(answer)) return { json: { restored: [], failed: [], keyEnded: false }, text: 'Nothing was changed.' };
  const outcomes = looks.flatMap(({ look }) => (look === null ? [] : ['unfit' in look ? look : restore(look)]));
  const failed = outcomes.filter(({ unfit }) => unfit !== null);
  const keyEnded = endsKey || answer === 'end' ? await endKey(state.platform, state.key) : false;
  const left = state.files.filter(({ path }) => failed.some((each) => each.path === path));
  // What could not be taken back is remembered, so that it can be tried again.
  if (left.length === 0) dropState(place, state);
  else keepState(place, { ...state, files: left });
  return loggedOutAnswer(outcomes, { keyEnded, wanted: endsKey || answer === 'end', prefix: state.prefix });
}

function shownRestoring(look: Restored | FileOutcome): string {
  if ('unfit' in look) return `${look.path} ${look.unfit}.`;
  const { file: { path }, text, isExact } = look;
  if (text === null) return `${path}: removed, as it was not there before`;
  return isExact ? `${path}: as it was before, to the byte` : `${path}: our settings taken out; what else changed since stays`;
}

function loggedOutAnswer(
  outcomes: readonly FileOutcome[], { keyEnded, wanted, prefix }: { readonly keyEnded: boolean; readonly wanted: boolean; readonly prefix: string },
): CommandResult {
  const failed = outcomes.filter(({ unfit }) => unfit !== null);
  const done = outcomes.filter(({ unfit }) => unfit === null).map(({ path }) => path);
  const ofKey = keyEnded ? `The key ${prefix}… is ended.`
    : wanted ? `The key ${prefix}… could not be ended from here: revoke it under Service keys.`
      : `The key ${prefix}… still works: revoke it under Service keys.`;
  return {
    json: { restored: done, failed, keyEnded },
    text: [...done.map((path) => `restored ${path}`), ...failed.map(({ path, unfit }) => `left     ${path} ${unfit}`), ofKey].join('\n'),
    exitCode: failed.length > 0 || (wanted && !keyEnded) ? 1 : 0,
  };
}
