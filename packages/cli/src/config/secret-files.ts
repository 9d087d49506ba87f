/**
 * Secrets in files: container platforms mount them, and a file does not show in a list of processes. `NAME_FILE` names a file
 * that contains the value of `NAME`.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BadValue } from './values.ts';
import { valueOf, type Environment, type VariableName } from './variables.ts';

/** Settings that may come from a file, because they carry a secret. */
const secrets = [
  'SVC_DATABASE_URL', 'SVC_REPORTS_DATABASE_URL', 'SVC_MASTER_KEY', 'SVC_OIDC_CLIENT_SECRET',
] as const satisfies readonly VariableName[];
/** A secret is one line. */
const bytesMax = 65_536;

/** The environment with the content of the files in place of their names. @throws BadValue, which never shows what a file contains. */
export function withSecretFiles(env: Environment, cwd: string): Environment {
  const found: Record<string, string> = {};
  for (const name of secrets) {
    const file = valueOf(env, `${name}_FILE`);
    if (file === null) continue;
    if (valueOf(env, name) !== null) throw new BadValue(`${name} and ${name}_FILE are both set. Set one of them.`);
    found[name] = textIn(resolve(cwd, file), `${name}_FILE`);
  }
  return { ...env, ...found };
}

function textIn(path: string, name: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new BadValue(`${name} names ${path}, which cannot be read (${String((error as { code?: unknown }).code)}).`);
  }
  if (text.trim() === '' || text.length > bytesMax) throw new BadValue(`${name} names ${path}, which holds no secret: it is empty or too long.`);
  return text.trim();
}
