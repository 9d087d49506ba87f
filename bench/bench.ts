/**
 * `npm run bench [-- --quick] [-- --only calls,journal]`: every benchmark of the product, one after the other, each in a separate
 * process, so that none measures what another left behind. Exit code 1 if one of them failed. Parts: `calls` (bench/run.ts), `shapes`, `guards`,
 * `decisions` (bench/guard-decisions.ts), `first` (bench/first-calls.ts), `journal`, `leases`, `metrics`, `overshoot`, `tap`, `reports`, `ingest`.
 * `--quick` makes each some minutes shorter.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } } });
const quick = values.quick ? ['--quick'] : [];

/** Arguments of each part. */
const parts: Readonly<Record<string, readonly string[]>> = {
  calls: ['run.ts', ...quick],
  shapes: ['shapes.ts', ...quick],
  guards: ['guards.ts', ...quick],
  decisions: ['guard-decisions.ts', ...quick],
  first: ['first-calls.ts', ...quick],
  journal: ['journal.ts', ...quick],
  leases: ['leases.ts', ...quick],
  metrics: ['metrics.ts'],
  overshoot: ['overshoot.ts', ...quick],
  tap: ['tap.ts'],
  reports: ['reports.ts', ...quick],
  ingest: ['tap-ingest.ts', '--events', values.quick ? '100000' : '5000000'],
};

const wanted = values.only === undefined ? Object.keys(parts) : values.only.split(',');
const unknown = wanted.find((name) => !(name in parts));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}"; parts are ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
for (const name of wanted) {
  console.log(`\n== ${name}`);
  const [file = '', ...args] = parts[name]!;
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) process.exitCode = 1;
}
