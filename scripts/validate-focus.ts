/**
 * `npm run focus:validate`: checks a FOCUS export of made-up calls with the official validator (focus-validator 2.2.1, Python 3.12:
 * `pip install -r test/readers/requirements.txt`; FOCUS_VALIDATOR names the command if it is not on the path). Exit code 1 if a rule
 * fails, 2 if there is no validator. The test command runs it if `.ci/run` has installed the validator.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exportCalls } from '@metergate/platform/use-cases/exports.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { seedStore } from '@metergate/platform/use-cases/seed.ts';
import { openStore } from '@metergate/store/store.ts';

const command = process.env['FOCUS_VALIDATOR'] ?? 'focus-validator';
/** One of these two always fails: together they say that a charge either has an invoice or has none. */
const eitherOr = new Set(['InvoiceId-C-004-C', 'InvoiceId-C-005-C']);

const directory = mkdtempSync(join(tmpdir(), 'metergate-focus-'));
try {
  const file = join(directory, 'focus.csv');
  writeFileSync(file, await focusFile());
  process.exitCode = validated(file);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function focusFile(): Promise<Buffer> {
  const bytes = (n: number): Uint8Array => randomBytes(n);
  const store = await openStore({
    url: `sqlite:${join(directory, 'store.db')}`, masterKey: bytes(32), clock: Date.now, randomBytes: bytes, create: true,
  });
  try {
    const context = { store, randomBytes: bytes, nowMs: Date.now() };
    const seeded = await seedStore(context, { organizations: 1, keys: 12, calls: 8_000 }, () => {});
    if (isRefusal(seeded)) throw new Error(seeded.refused.message);
    const made = await exportCalls(context, { organization: 'default', format: 'focus', fromMs: 0, toMs: context.nowMs });
    if (isRefusal(made)) throw new Error(made.refused.message);
    const pieces: Uint8Array[] = [];
    for await (const piece of made.pieces) pieces.push(piece.bytes);
    return Buffer.concat(pieces);
  } finally {
    await store.close();
  }
}

function validated(file: string): number {
  const found = spawnSync('/bin/sh', ['-c', 'command -v "$0"', command], { encoding: 'utf8' }).stdout.trim();
  if (found === '') {
    console.error(`There is no ${command} here. Install it with: pip install -r test/readers/requirements.txt`);
    return 2;
  }
  // The validator looks for its own tables relative to its working directory.
  const python = join(dirname(realpathSync(found)), 'python');
  const home = spawnSync(python, ['-c', 'import focus_validator, os; print(os.path.dirname(os.path.dirname(focus_validator.__file__)))'], {
    encoding: 'utf8',
  }).stdout.trim();
  const { stdout, stderr } = spawnSync(found, [
    '--data-file', file, '--validate-version', '1.2.0.1', '--focus-dataset', 'CostAndUsage', '--block-download',
  ], { encoding: 'utf8', maxBuffer: 1 << 28, ...(home === '' ? {} : { cwd: home }) });
  const totals = /^Total: .*$/m.exec(stdout)?.[0];
  if (totals === undefined) {
    console.error(`The validator did not come to an end.\n${stderr.slice(-2_000)}`);
    return 1;
  }
  const failed = [...stdout.matchAll(/^❌ (\S+): FAIL.*$/gm)].filter(([, rule]) => !eitherOr.has(rule!));
  for (const [line] of failed) console.error(line);
  const verdict = failed.length === 0 ? 'Passed.' : `Failed: ${failed.length}.`;
  console.log(`${totals}; of the two rules that exclude each other one is not counted. ${verdict}`);
  return failed.length === 0 ? 0 : 1;
}
