/**
 * An export of FOCUS passes the official validator, if `.ci/run` has installed it (`.venvs/focus`); else one line says that it was not
 * run. `npm run focus:validate` does the same by hand. Rule 25.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const validator = `${root}.venvs/focus/bin/focus-validator`;

test('an export of FOCUS passes the official validator', { timeout: 200_000 }, async (t) => {
  if (!existsSync(validator)) {
    t.diagnostic('no official FOCUS validator in .venvs: no export is held against it here');
    return;
  }
  const child = spawn(process.execPath, [`${root}scripts/validate-focus.ts`], {
    cwd: root, env: { ...process.env, FOCUS_VALIDATOR: validator }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => { said += text; });
  const [code] = await once(child, 'close') as [number | null];
  assert.equal(code, 0, said);
  assert.match(said, /^Total: \d+ \| Pass: [1-9]\d+ .*Passed\.$/m);
  t.diagnostic(said.trim());
});
