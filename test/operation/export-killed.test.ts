/**
 * An export whose process is killed in the middle, by `kill -9`, and run again: the finished file is byte for byte that of an undisturbed
 * export. The real command, on both engines, in each format. Rule 25.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testPostgres } from '@metergate/testkit/postgres.ts';

const launcher = fileURLToPath(new URL('../../packages/cli/bin/metergate.mjs', import.meta.url));
/** A process whose clock advances a minute at each reading, so that it notes every page it wrote. */
const hurried = `data:text/javascript,${encodeURIComponent('let at = Date.now(); Date.now = () => (at += 60_000);')}`;

const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const triesMax = 10;
const time = ['--from', day(-95), '--to', day(2)];

interface Place {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

function started({ folder, env }: Place, args: readonly string[], node: readonly string[] = []): ChildProcess & { told: string } {
  const spawned = spawn(process.execPath, [...node, launcher, ...args], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const child = Object.assign(spawned, { told: '' });
  child.stderr.setEncoding('utf8').on('data', (text: string) => { child.told += text; });
  return child;
}

async function ended(child: ChildProcess & { told: string }): Promise<void> {
  const [code] = await once(child, 'close') as [number | null];
  assert.equal(code, 0, child.told);
}

/** Kills it as soon as it has noted progress; false: it had already finished. */
async function killedInTheMiddle(start: () => ChildProcess, file: string): Promise<boolean> {
  const noted = (): string => (existsSync(`${file}.part.json`) ? readFileSync(`${file}.part.json`, 'utf8') : '');
  const before = noted();
  const child = start();
  const over = once(child, 'close');
  while (child.exitCode === null && noted() === before) await new Promise((resolve) => { setTimeout(resolve, 2); });
  child.kill('SIGKILL');
  await over;
  return child.signalCode === 'SIGKILL' && noted() !== before && !existsSync(file);
}

/** Kills it that many times, each time after it had gone on. On a busy machine it may finish before it is killed: then all of it is done again. */
async function killedTimes(times: number, start: () => ChildProcess, file: string): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    for (const end of ['', '.part', '.part.json']) rmSync(file + end, { force: true });
    let killed = 0;
    while (killed < times && await killedInTheMiddle(start, file)) killed += 1;
    if (killed === times) return;
  }
  assert.fail(`it always finished before it was killed ${times} times`);
}

/** Formats that would only repeat the result on the other engine are left out. Parquet resumes after its first group of 20,000 rows. */
const trials = { SQLite: { calls: 20_500, formats: ['csv', 'parquet'] }, PostgreSQL: { calls: 8_000, formats: ['jsonl', 'focus'] } } as const;

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`an export that was killed, on ${engine}`, () => {
    test('is resumed, and its file is as if it had never been killed', { timeout: 230_000 }, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'metergate-killed-'));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      const postgres = engine === 'PostgreSQL' ? await testPostgres() : null;
      t.after(() => postgres?.stop());
      const masterKey = randomBytes(32).toString('base64');
      const shared = postgres === null ? {} : { SVC_DATABASE_URL: await postgres.createDatabase(), SVC_MASTER_KEY: masterKey };
      const place = { folder, env: { PATH: process.env['PATH'], SVC_DATA_DIR: join(folder, 'data'), ...shared } };
      await ended(started(place, ['seed', '--organizations', '1', '--keys', '20', '--calls', String(trials[engine].calls)]));

      for (const format of trials[engine].formats) {
        await t.test(format, async () => {
          const [whole, broken] = [`whole.${format}`, `broken.${format}`];
          const asked = (out: string): string[] => ['export', '--org', 'default', '--format', format, ...time, '--out', out];
          await ended(started(place, asked(whole)));
          await killedTimes(format === 'csv' ? 2 : 1, () => started(place, asked(broken), ['--import', hurried]), join(folder, broken));
          await ended(started(place, asked(broken)));
          assert.ok(readFileSync(join(folder, whole)).equals(readFileSync(join(folder, broken))), format);
          assert.deepEqual([existsSync(join(folder, `${broken}.part`)), existsSync(join(folder, `${broken}.part.json`))], [false, false]);
        });
      }
    });
  });
}
