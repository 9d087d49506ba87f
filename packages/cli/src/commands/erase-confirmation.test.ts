/** Held: at a terminal `org erase` takes the organization's name, typed again, and erases nothing without it; with --json it does not ask. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { openStore } from '@metergate/store/store.ts';
import { runProgram } from '../command-line/run.ts';
import { createMasterKey } from '../config/master-key.ts';
import { program } from '../program.ts';

const root = mkdtempSync(join(tmpdir(), 'metergate-erase-'));
const dataDirectory = join(root, 'data');
const place = { dataDirectory, masterKey: null, databaseUrl: `sqlite:${join(dataDirectory, 'metergate.db')}` };

before(async () => {
  mkdirSync(dataDirectory, { mode: 0o700 });
  const masterKey = createMasterKey(place);
  const store = await openStore({ url: place.databaseUrl, masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: true });
  await store.organizations.create({ name: 'Acme Ltd', plan: 'free' });
  await store.close();
});
after(() => rmSync(root, { recursive: true, force: true }));

/** The command as at a terminal where this is typed. */
async function atTerminal(args: readonly string[], typed: readonly string[]): Promise<{ exitCode: number; stdout: string; stderr: string; read: boolean }> {
  let stdout = '';
  let stderr = '';
  let read = false;
  const stdin = Object.assign(Readable.from((function* () {
    read = true;
    for (const piece of typed) yield Buffer.from(piece);
  })()), { isTTY: true }) as unknown as NodeJS.ReadStream;
  const { exitCode } = await runProgram(program, args, {
    env: { SVC_DATA_DIR: dataDirectory }, cwd: root, stdin, isTerminal: true, nowMs: Date.now, randomBytes: (n) => randomBytes(n),
    stdout: (text) => { stdout += text; }, stderr: (text) => { stderr += text; },
  });
  return { exitCode, stdout, stderr, read };
}

const names = async (): Promise<string[]> =>
  (JSON.parse((await atTerminal(['org', 'list', '--json'], [])).stdout) as { name: string }[]).map(({ name }) => name);

test('another name, nothing, or the name with more erases nothing and says so', async () => {
  for (const typed of [['acme ltd\n'], ['\n'], [], ['yes\n'], ['Acme Ltd \n']]) {
    const { exitCode, stdout, stderr } = await atTerminal(['org', 'erase', 'Acme Ltd'], typed);
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.match(stderr, /secrets and words of Acme Ltd go for good[^]*Type its name to erase it: metergate: What was typed is not the name/);
  }
  assert.deepEqual(await names(), ['Acme Ltd']);
});

test('the name erases it, in whatever pieces it comes; with --json nothing is asked', async () => {
  const erased = await atTerminal(['org', 'erase', 'Acme Ltd'], ['Ac', 'me Ltd\r\n']);
  assert.equal(erased.exitCode, 0, erased.stderr);
  assert.match(erased.stdout, /^org_\w+ is erased\. /);
  assert.deepEqual(await names(), []);
  await atTerminal(['org', 'create', 'Other', '--json'], []);
  const asked = await atTerminal(['org', 'erase', 'Other', '--json'], ['no\n']);
  assert.deepEqual([asked.exitCode, asked.stderr, asked.read], [0, '', false]);
});
