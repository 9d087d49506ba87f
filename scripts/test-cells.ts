/**
 * `npm run test:cells`: the contract suite of the store, of PostgreSQL, with every store in a cell: a schema of one PostgreSQL, then a distributed
 * schema of Citus, where there is one (`packages/testkit/src/citus.ts` says how to name it). Eight stores share a database. `-- PART` only the files
 * whose path holds PART; `-- --on schemas` or `--on citus` only there. What is left out, and why, is listed below.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { citusBin, citusSettings, withoutCitus } from '@metergate/testkit/citus.ts';
import { startPostgres, type OwnPostgres } from '@metergate/testkit/postgres.ts';

const { values: { on }, positionals: [part = ''] } = parseArgs({ allowPositionals: true, options: { on: { type: 'string' } } });
/** Citus passes no notices of a worker on: nodes poll, and need none. */
const withoutNotices = 'change-notices';
const files = globSync('packages/store/src/**/*.contract.test.ts').map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.includes(part)).sort();

process.exitCode = on === 'citus' ? 0 : await onCells('schemas of one PostgreSQL', files, () => startPostgres());
const bin = citusBin();
if (on === 'schemas') console.log('Left out on Citus.');
else if (bin === null) console.log(`Skipped on Citus: ${withoutCitus}.`);
else {
  const tested = files.filter((file) => !file.includes(withoutNotices));
  const failed = await onCells('Citus', tested, () => startPostgres({ bin, settings: citusSettings }));
  process.exitCode ||= failed;
}

async function onCells(where: string, tested: readonly string[], start: () => Promise<OwnPostgres>): Promise<number> {
  const server = await start();
  console.log(`The contract suite with each store a cell, on ${where}: ${tested.length} files.`);
  try {
    const args = ['--no-warnings', '--test', '--test-concurrency=2', '--test-timeout=240000', '--test-name-pattern=PostgreSQL'];
    const env = { ...process.env, TEST_POSTGRES_URL: server.url, TEST_POSTGRES_CELLS: '1' };
    const [code] = await once(spawn(process.execPath, [...args, ...tested], { stdio: 'inherit', env }), 'close') as [number | null];
    return code ?? 1;
  } finally {
    await server.stop();
  }
}
