/**
 * `metergate login URL`: a key of the person's own, and the settings of the tools on their machine. Decision 196. It needs no store. Nothing is
 * written that was not shown first.
 */
import { command, CommandFault, UsageFault, type CommandResult, type CommandTools } from '../command-line/command.ts';
import { secondsText } from '../command-line/table.ts';
import { readTypedLine } from '../command-line/typed-line.ts';
import { readState, statePath, type LoginState } from '../login/login-state.ts';
import { machineOf, mayAsk } from '../login/this-machine.ts';
import { planTool, wrongAlready, type Planned, type PlannedFile } from '../login/plan.ts';
import { endKey, platformOrigin, works, type Given } from '../login/platform-client.ts';
import { signIn } from '../login/sign-in.ts';
import type { Machine, Tool } from '../login/tools/tool.ts';
import { tools as knownTools } from '../login/tools/tools.ts';
import { writeSettings, type FileOutcome } from '../login/write-settings.ts';

interface LoginOptions {
  readonly print: boolean;
  readonly code: boolean;
  readonly yes: boolean;
  readonly chosen: readonly Tool[] | null;
  readonly plainHttp: boolean;
}

const noTool = 'No tool was found that is not set up yet. Choose tools with --only, or see the settings with --print.';

export const login = command({
  description: 'Get a service key of your own, and set up the tools on this machine with it',
  args: {
    url: { type: 'positional', required: true, valueHint: 'URL', description: 'The address of the pages, such as https://metergate.example.com' },
    print: { type: 'boolean', description: 'Show the key and the settings, of all tools if none is found; write nothing' },
    code: { type: 'boolean', description: 'Sign in by a code that you type on a page, for a machine without a browser' },
    only: { type: 'string', valueHint: 'TOOLS', description: `Some of ${knownTools.map(({ id }) => id).join(', ')}; by default those found here` },
    yes: { type: 'boolean', description: 'Write the settings without asking; needed without a terminal, unless with --print' },
    'plain-http': { type: 'boolean', description: 'Sign in over http on another machine, where others may read along' },
  },
  run: (values, tools) => {
    const options = {
      print: values.print === true, code: values.code === true, yes: values.yes === true, plainHttp: values['plain-http'] === true,
      chosen: values.only === undefined ? null : values.only.split(',').map(toolNamed),
    };
    return loggedIn(tools, platformOrigin(values.url, options), options);
  },
});

async function loggedIn(tools: CommandTools, origin: string, options: LoginOptions): Promise<CommandResult> {
  const { print, yes, chosen } = options;
  if (!print && !yes
    && !mayAsk(tools)) throw new UsageFault('metergate login writes settings. Without a terminal, or with --json, give --yes or --print.');
  const machine = machineOf(tools);
  const place = statePath(machine.home, tools.env);
  const before = readState(place);
  if (before !== null && before.platform !== origin) {
    throw new CommandFault('logged_in_elsewhere', `This machine is logged in at ${before.platform}. Run metergate logout first.`);
  }
  const done = new Set(before?.files.map(({ tool }) => tool));
  const here = knownTools.filter((tool) => tool.isThere(machine));
  const found = (chosen ?? (print && here.length === 0 ? knownTools : here)).filter(({ id }) => print || !done.has(id));
  for (const tool of print ? [] : found) {
    const wrong = wrongAlready(tool, machine);
    if (wrong !== null) tools.stderr(`${tool.title}: ${wrong}\n`);
  }
  // Nobody signs in for nothing.
  if (found.length === 0 && before === null) return { json: { written: [], skipped: [], keyId: null }, text: `Nothing was written. ${noTool}` };
  const given = before === null ? await signIn(tools, origin, { byCode: options.code }) : await knownKey(origin, before);
  if (print) return printed(machine, given, found);
  const planned = found.map((tool) => planTool(tool, machine, given));
  const agreed = await agreement(tools, planned, given, yes);
  if (agreed.length === 0) {
    if (before === null) await endKey(origin, given.key);
    const why = before === null ? 'Nothing was written, and the new key was ended.' : 'Nothing was written.';
    return { json: { written: [], skipped: skippedOf(planned), keyId: before === null ? null : given.keyId }, text: why };
  }
  const outcomes = writeSettings(place, before ?? stateOf(origin, given), agreed);
  return writtenAnswer(outcomes, planned, given);
}

/** The key of the last login, if it still works. @throws CommandFault */
async function knownKey(origin: string, state: LoginState): Promise<Given> {
  if (await works(origin, state.key)) return state;
  throw new CommandFault('key_ended', 'The key of the last login does not work any more. Run metergate logout, then log in again.');
}

function stateOf(platform: string, { gatewayUrl, organization, person, keyId, prefix, key, expiresAt, providers, upstreams }: Given): LoginState {
  return {
    version: 1, platform, gatewayUrl, organization, person, keyId, prefix, key, expiresAt, providers: [...providers],
    upstreams: upstreams.map(({ name, provider }) => ({ name, provider })), files: [], directories: [],
  };
}

interface Agreed {
  readonly tool: string;
  readonly file: PlannedFile;
}

/** What the person agrees to of what is shown. */
async function agreement(tools: CommandTools, planned: readonly Planned[], given: Given, yes: boolean): Promise<Agreed[]> {
  const ready = planned.filter((each) => 'files' in each);
  const { person, organization, prefix, expiresAt } = given;
  const until = expiresAt === null ? '' : `, until ${secondsText(expiresAt)}`;
  tools.stderr(`\nSigned in as ${person} in ${organization}. Your key: ${prefix}…${until}\n\n`);
  for (const each of planned) tools.stderr(`${shownPlan(each, (value) => value.replaceAll(given.key, `${prefix}…`))}\n`);
  if (ready.length === 0) {
    tools.stderr(planned.length === 0 ? `${noTool}\n` : '');
    return [];
  }
  const chosen = yes ? ready : chosenOf(ready, await readTypedLine(tools, 'Write these? yes, or the names of some, or no: '));
  return chosen.flatMap(({ tool, files }) => files.map((file) => ({ tool: tool.id, file })));
}

type Ready = Extract<Planned, { readonly files: unknown }>;

function chosenOf(ready: readonly Ready[], typed: string): readonly Ready[] {
  const answer = typed.trim().toLowerCase();
  if (answer === 'yes' || answer === 'y') return ready;
  const names = answer.split(/[\s,]+/);
  return ready.filter(({ tool }) => names.includes(tool.id));
}

function shownPlan(planned: Planned, masked: (value: string) => string): string {
  const { tool } = planned;
  if ('why' in planned) return `${tool.title}: not set up. ${planned.why}\n`;
  const lines = planned.files.flatMap(({ path, file, settings }) => [
    `  ${path}${file.exists ? '' : ' (new)'}${file.readByOthers ? ' (others on this machine may read it)' : ''}`,
    ...settings.map(({ name, value }) => `    ${name} = ${masked(value ?? '')}`),
  ]);
  return [`${tool.title} (${tool.id})`, ...lines, ''].join('\n');
}

function printed(machine: Machine, given: Given, shown: readonly Tool[]): CommandResult {
  const parts = shown.map((tool) => ({ tool, files: tool.files(machine, given) }));
  const settings = parts.flatMap(({ tool, files }) => ('why' in files ? [] : files.map(({ path, settings: each }) => ({ tool: tool.id, path,
    settings: each }))));
  const text = parts.map(({ tool, files }) => ('why' in files ? `${tool.title}: ${files.why}`
    : [tool.title, ...files.flatMap(({ path, settings: each }) => [`  ${path}`, ...each.map(({ name, value }) =>
      `    ${name} = ${value ?? ''}`)])].join('\n')));
  return {
    json: { key: given.key, keyId: given.keyId, gatewayUrl: given.gatewayUrl, settings },
    text: [`Your key: ${given.key}`, `Gateway:  ${given.gatewayUrl}`, ...text].join('\n\n'),
  };
}

function skippedOf(planned: readonly Planned[]) {
  return planned.flatMap((each) => ('why' in each ? [{ tool: each.tool.id, why: each.why }] : []));
}

function writtenAnswer(outcomes: readonly FileOutcome[], planned: readonly Planned[], { keyId, prefix }: Given): CommandResult {
  const failed = outcomes.filter(({ unfit }) => unfit !== null);
  const written = outcomes.filter(({ unfit }) => unfit === null).map(({ path }) => path);
  const lines = [...written.map((path) => `written  ${path}`), ...failed.map(({ path, unfit }) => `left     ${path} ${unfit}`)];
  return {
    json: { keyId, prefix, written, failed, skipped: skippedOf(planned) },
    text: [...lines, 'metergate logout takes all of it back.'].join('\n'), exitCode: failed.length > 0 ? 1 : 0,
  };
}

function toolNamed(name: string): Tool {
  const tool = knownTools.find(({ id }) => id === name.trim());
  if (tool === undefined) throw new UsageFault(`--only must be some of ${knownTools.map(({ id }) => id).join(', ')}, with commas between them.`);
  return tool;
}
