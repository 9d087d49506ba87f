/**
 * By hand: a month that another version closed, on this version, of which the other has a checkout with its dependencies installed. The other makes a
 * store with calls, closes the last whole month and writes its file. This version upgrades the store: it must show the month with the same figures,
 * write the same file byte for byte, and find both files whole. What is learned afterwards must not move it, and reopening keeps what was closed.
 *
 * `node test/operation/closed-month-trial.ts OLD_CHECKOUT` does so on SQLite and on PostgreSQL, and ends with 1 if anything differs.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { monthName, monthOf } from '@metergate/core/time/utc-month.ts';
import { openStore } from '@metergate/store/store.ts';
import { ownLauncher } from '@metergate/testkit/cluster.ts';
import { testPostgres } from '@metergate/testkit/postgres.ts';
import { commandsOf, type Commands } from './upgraded-store.ts';

const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error('name a checkout of the version before, with its dependencies installed');
const oldLauncher = join(resolve(checkout), 'packages/cli/bin/metergate.mjs');
const month = monthName(monthOf(monthOf(Date.now()) - 1));
const calls = 30_000;

const postgres = await testPostgres();
try {
  for (const url of [undefined, await postgres.createDatabase()]) {
    const differences = await differencesOn(url);
    const found = differences.length === 0 ? `${month} is as it was closed` : differences.join('; ');
    console.log(`${url === undefined ? 'SQLite' : 'PostgreSQL'}: ${found}`);
    if (differences.length > 0) process.exitCode = 1;
  }
} finally {
  await postgres.stop();
}

/** `url`: of a database; undefined: a data directory. Gives what differs. */
async function differencesOn(url: string | undefined): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-closed-month-'));
  try {
    const masterKey = randomBytes(32);
    const store = {
      SVC_DATA_DIR: folder, SVC_MASTER_KEY: masterKey.toString('base64'), ...(url === undefined ? {} : { SVC_DATABASE_URL: url }),
    };
    const [old, own] = [commandsOf(oldLauncher, store), commandsOf(ownLauncher, store)];
    await old(['seed', '--organizations', '1', '--keys', '40', '--calls', String(calls)]);
    await old(['month', 'close', month, '--org', 'default', '--go-on']);
    const before = await closed(old, folder, 'before');
    const upgraded = await openStore({
      url: url ?? `sqlite:${join(folder, 'metergate.db')}`, masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: true,
    });
    await upgraded.close();
    const found: string[] = [];
    const compare = async (when: string, version?: string): Promise<void> => {
      const after = await closed(own, folder, when.replaceAll(' ', '-'), version);
      for (const field of Object.keys(before.shown).filter((each) => version === undefined || !['state', 'versions'].includes(each))) {
        if (JSON.stringify(before.shown[field]) !== JSON.stringify(after.shown[field])) found.push(`${when}: ${field} of month show differs`);
      }
      if (!before.bytes.equals(after.bytes)) found.push(`${when}: the file differs`);
      for (const file of [before.file, after.file]) await own(['month', 'verify', file]);
    };
    await compare('after the upgrade');
    await repriceAll(own, folder);
    await compare('after a new price');
    await own(['month', 'reopen', month, '--org', 'default', '--yes']);
    await compare('after reopening', '1');
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every call of the month costs something else, as a correction. */
async function repriceAll(commands: Commands, folder: string): Promise<void> {
  const listed = await commands(['calls', 'list', '--org', 'default', '--limit', '200']) as unknown as { wire: string; model: string | null }[];
  const priced = listed.filter(({ model }) => model !== null);
  const models = new Set(priced.map(({ wire, model }) => JSON.stringify({ provider: wire, model, input: '9', output: '9' })));
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, `{"prices": [${[...models].join()}]}`);
  const repriced = await commands(['reprice', '--month', month, '--org', 'default', '--prices', prices]);
  console.log(`  a new price: ${JSON.stringify(repriced).slice(0, 200)}`);
}

interface Closed {
  /** What the month is and costs; what the command says of its state now is left out. */
  readonly shown: Readonly<Record<string, unknown>>;
  readonly file: string;
  readonly bytes: Buffer;
}

async function closed(commands: Commands, folder: string, name: string, version?: string): Promise<Closed> {
  const file = join(folder, `${name}.jsonl`);
  const asked = ['--org', 'default', ...(version === undefined ? [] : ['--version', version])];
  const shown = await commands(['month', 'show', month, ...asked]);
  await commands(['month', 'export', month, ...asked, '--out', file]);
  return { shown, file, bytes: readFileSync(file) };
}
