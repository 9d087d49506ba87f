/** Every wrong usage of a command gives one sentence and exit 2, before anything is opened; help gives exit 0. Rules: Interfaces. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProgram } from './command-line/run.ts';
import { program } from './program.ts';

interface Said {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program in this process. Settings are bad, so that whatever reads them ends with 1. */
async function say(args: readonly string[]): Promise<Said> {
  let stdout = '';
  let stderr = '';
  const { exitCode } = await runProgram(program, args, {
    env: { SVC_HOST: 'not a host' }, cwd: '/', stdin: process.stdin, isTerminal: false, nowMs: () => 0, randomBytes: (n) => new Uint8Array(n),
    stdout: (text) => { stdout += text; }, stderr: (text) => { stderr += text; },
  });
  return { exitCode, stdout, stderr };
}

const usage: readonly (readonly [args: readonly string[], sentence: RegExp])[] = [
  [[], /name a command/], [['ogr'], /no command metergate ogr\. Did you mean metergate org\?/], [['frobnicate'], /no command metergate frobnicate/],
  [['org'], /needs one of: create, list, show, set/], [['org', 'crate', 'x'], /Did you mean metergate org create/], [['org', 'create'], /needs NAME/],
  [['org', 'create', 'x', 'y'], /does not take the argument y/], [['org', 'create', 'x', '--plan', 'gold'], /--plan must be one of free/],
  [['org', 'create', 'x', '--plan'], /--plan needs a value/], [['org', 'create', 'x', '--plna', 'free'], /no option --plna\. Did you mean --plan/],
  [['org', 'create', 'x', '--plan', 'free', '--plan', 'team'], /--plan once/], [['org', 'set', 'Acme'], /needs a setting to change/],
  [['key', 'create'], /needs --org/], [['key', 'create', '--org', '--name'], /--org needs a value/],
  [['key', 'create', '--org', 'Acme', '--expires', '1w'], /--expires must be a duration/], [['key', 'list', '--org', 'Acme', '-x'], /no option -x/],
  [['provider', 'connect', 'mistral', '--org', 'Acme'], /one of openai, anthropic/],
  [['calls', 'list', '--org', 'Acme', '--limit', '10001'], /1 to 10000/],
  [['calls', 'list', '--org', 'Acme', '--since', 'someday'], /--since must be an instant/], [['org', 'list', '--json=yes'], /--json takes no value/],
  [['usage', '--org', 'Acme', '--by', 'day', '--wire', 'opnai'], /--wire must be one of openai, anthropic, upstream/],
  [['usage', '--org', 'Acme', '--by', 'day', '--endpoint', 'chat'], /--endpoint must be one of chat\.completions/],
  [['alert', 'set', '--org', 'Acme', '--cap', 'c', '--at', '50,0'], /--at must be one to ten whole numbers of percent from 1 to 1000/],
  [['alert', 'set', '--org', 'Acme', '--cap', 'c', '--at', '1,2,3,4,5,6,7,8,9,10,11'], /--at must be one to ten/],
  [['webhook', 'create', '--org', 'Acme', '--url', 'https://example.com', '--events', 'cap.reached,cap.raeched'],
    /--events must be some of cap\.threshold/],
  [['grant', 'mint', '--org', 'Acme', '--run', 'a b', '--max', '5', '--expires', '1h'], /--run must be 1 to 128 visible ASCII characters/],
  [['grant', 'mint', '--org', 'Acme', '--run', 'r', '--max', '0.0', '--expires', '1h'], /--max must be an amount of US dollars above 0/],
  [['grant', 'mint', '--org', 'Acme', '--run', 'r', '--max', '1.0000001', '--expires', '1h'], /at most six decimal places/],
  [['start', '--sandbx'], /Did you mean --sandbox/], [['constructor'], /no command metergate constructor/], [['org', '__proto__'], /no command/],
];

test('wrong usage is one sentence that names what is wrong, exit 2, nothing on stdout', async () => {
  for (const [args, sentence] of usage) {
    const { exitCode, stdout, stderr } = await say(args);
    assert.deepEqual([exitCode, stdout], [2, ''], `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, /^metergate: [^\n]+\n$/);
    assert.match(stderr, sentence);
  }
});

test('correct usage gets as far as the settings, which are refused with exit 1', async () => {
  for (const args of [['org', 'list'], ['org', 'create', 'x', '--plan=team'], ['key', 'revoke', '--', '--odd'], ['start', '--sandbox']]) {
    const { exitCode, stderr } = await say(args);
    assert.equal(exitCode, 1, args.join(' '));
    assert.match(stderr, /SVC_HOST/);
  }
});

test('--yes is understood by every command that takes something away, whether or not it asks, and by no other', async () => {
  const takeAway = [
    ['org', 'erase', 'x'], ['key', 'revoke', 'x'], ['key', 'disable', 'x'], ['key', 'rotate', 'x'], ['cap', 'remove', 'x'], ['alert', 'remove', 'x'],
    ['webhook', 'remove', 'x'], ['token', 'revoke', 'x'], ['run', 'close', 'x', '--org', 'Acme'],
    ['provider', 'disconnect', 'openai', '--org', 'Acme'],
    ['upstream', 'remove', '--org', 'Acme'], ['upstream', 'disable', '--org', 'Acme'], ['baseline', 'rotate-key', 'x'], ['baseline', 'retire', 'x'],
    ['correction', 'remove', 'x'], ['receipts', 'rotate-key', '--org', 'Acme'], ['master-key', 'rotate'],
  ];
  for (const args of takeAway) {
    const { exitCode, stderr } = await say([...args, '--yes']);
    assert.equal(exitCode, 1, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, /SVC_HOST/, args.join(' '));
  }
  assert.equal((await say(['key', 'list', '--org', 'Acme', '--yes'])).exitCode, 2);
});

test('help is on stdout with exit 0, for the program, each group and each command', async () => {
  const pages = [
    ['--help'], ['help'], ['org', '--help'], ['key', 'create', '--help'], ['help', 'calls', 'list'], ['start', '-h'], ['doctor', '--help'],
    ['org', 'set', '--help'],
  ];
  for (const args of pages) {
    const { exitCode, stdout, stderr } = await say(args);
    assert.deepEqual([exitCode, stderr], [0, ''], args.join(' '));
    assert.match(stdout, /^metergate/);
    assert.ok(stdout.split('\n').every((line) => line.length <= 120), stdout);
  }
});

test('descriptions are one style: a phrase that begins with a capital and has no period', async () => {
  const groups = (await say(['--help'])).stdout.matchAll(/^  metergate ([\w-]+) /gm);
  const pages = [['--help'], ...[...groups].map(([, group]) => [group!, '--help'])];
  assert.equal(pages.length, 1 + Object.keys(program.commands).length);
  for (const args of pages) {
    const described = [...(await say(args)).stdout.matchAll(/^(?:  )?metergate[\w -]*?(?::|  +)(.+)$/gm)].map(([, text]) => text!.trim());
    assert.ok(described.length > 0, args.join(' '));
    for (const text of described) assert.match(text, /^[A-Z][^.;]*$/, args.join(' '));
  }
});

test('start gives no answer, and so takes no --json', async () => {
  assert.doesNotMatch((await say(['start', '--help'])).stdout, /--json/);
  const { exitCode, stderr } = await say(['start', '--json']);
  assert.deepEqual([exitCode, stderr], [2, 'metergate: start has no option --json. See: metergate start --help\n']);
});
