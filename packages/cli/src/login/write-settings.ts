/** Writes what was planned and agreed to, and takes it back. Decision 196. */
import { rmSync, rmdirSync } from 'node:fs';
import { textDigest, missingDirectories, readConfigFile, writeConfigFile, type ConfigFile } from './files/config-file.ts';
import { isUnfit } from './files/edited.ts';
import { editJson, jsonAt } from './files/json-text.ts';
import { spliced, unspliced, withoutPieces } from './files/splice.ts';
import { keepState, type LoginState, type Written } from './login-state.ts';
import type { PlannedFile } from './plan.ts';

/** What is about to be written to one file, as the state keeps it. */
function writtenOf(tool: string, { path, file, edited, json }: PlannedFile): Written {
  return {
    tool, path, existed: file.exists, before: textDigest(file.text), after: textDigest(spliced(file.text, edited.splices)),
    splices: [...edited.splices], directories: missingDirectories(file.target),
    json: json === undefined ? null : json.map(({ path: at, value }) => ({ path: [...at], value, was: jsonAt(file.text, at)?.value })),
  };
}

export interface FileOutcome {
  readonly path: string;
  /** Null: done. Otherwise the end of a sentence that begins with the path. */
  readonly unfit: string | null;
}

/** The state first: whatever happens after it, a logout finds its way back. */
export function writeSettings(statePath: string, state: LoginState,
  planned: readonly { readonly tool: string; readonly file: PlannedFile }[]): FileOutcome[] {
  const files = planned.map(({ tool, file }) => writtenOf(tool, file));
  keepState(statePath, { ...state, files: [...state.files, ...files] });
  return planned.map(({ file: { path, file, edited } }) => ({ path, unfit: writeConfigFile(file, spliced(file.text, edited.splices))?.unfit
    ?? null }));
}

/** The file as it was before the login, or why that cannot be known. `isExact`: to the byte; otherwise what changed since stays. */
export interface Restored {
  readonly written: Written;
  readonly file: ConfigFile;
  /** Null: the file goes, as it came with the login. */
  readonly text: string | null;
  readonly isExact: boolean;
}

export function restored(written: Written): Restored | FileOutcome | null {
  const { path, existed, before, after } = written;
  const file = readConfigFile(path);
  if (isUnfit(file)) return { path, unfit: file.unfit };
  if (!file.exists) return null;
  const now = textDigest(file.text);
  // It was never written, or was put back by somebody.
  if (now === before && now !== after) return null;
  const text = now === after ? unspliced(file.text, written.splices) : null;
  if (text !== null && textDigest(text) === before) return { written, file, text: existed ? text : null, isExact: true };
  const undone = written.json === null ? withoutPieces(file.text, written.splices) : withoutSettings(file.text, written.json);
  if (undone === null) return { path, unfit: 'was changed where our settings stood. Take them out by hand' };
  return { written, file, text: !existed && isEmpty(undone) ? null : undone, isExact: false };
}

/** Of a JSON file that a tool wrote anew: each of our values that is still there gives way to what was there before. */
function withoutSettings(text: string, json: NonNullable<Written['json']>): string | null {
  let now = text;
  for (const { path, value, was } of json) {
    if (JSON.stringify(jsonAt(now, path)?.value) !== JSON.stringify(value)) continue;
    const next = withValue(now, path, was);
    if (next === null) return null;
    now = was === undefined ? withoutEmpty(next, path) : next;
  }
  return now;
}

/** Objects that were there for a setting alone go with it. */
function withoutEmpty(text: string, path: readonly string[]): string {
  let now = text;
  for (let depth = path.length - 1; depth > 0; depth -= 1) {
    const parent = path.slice(0, depth);
    if (JSON.stringify(jsonAt(now, parent)?.value) !== '{}') return now;
    now = withValue(now, parent, undefined) ?? now;
  }
  return now;
}

function withValue(text: string, path: readonly string[], value: unknown): string | null {
  const edited = editJson(text, [{ path, value }]);
  return isUnfit(edited) ? null : spliced(text, edited.splices);
}

function isEmpty(text: string): boolean {
  return text.replaceAll(/\s/g, '') === '' || text.replaceAll(/\s/g, '') === '{}';
}

/** Null: done. */
export function restore({ written: { directories }, file, text }: Restored): FileOutcome {
  const { path, target } = file;
  if (text !== null) return { path, unfit: writeConfigFile(file, text)?.unfit ?? null };
  const now = readConfigFile(path);
  if (isUnfit(now)) return { path, unfit: now.unfit };
  if (now.text !== file.text) return { path, unfit: 'changed in the meantime' };
  rmSync(target, { force: true });
  for (const directory of directories.toReversed()) {
    try {
      rmdirSync(directory);
    } catch {
      break;
    }
  }
  return { path, unfit: null };
}
