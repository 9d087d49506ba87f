/** Where the product reads a text that an operator or an earlier command left: settings, and the notes of an export that broke off. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openResumable } from 'metergate/command-line/resumable-file.ts';
import { readConfig } from 'metergate/config/read-config.ts';
import { variableNames } from 'metergate/config/variables.ts';
import { bodies, texts } from './shapes.ts';
import type { TextEntry } from './text-entries.ts';

const folder = mkdtempSync(join(tmpdir(), 'metergate-notes-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The other settings of signing in, so that the tried one is read. */
const oidc = { SVC_OIDC_ISSUER: 'https://example.com', SVC_OIDC_CLIENT_ID: 'a', SVC_OIDC_CLIENT_SECRET: 'a', SVC_OIDC_ROLE_CLAIM: 'a' };

async function readNotes(text: string): Promise<void> {
  const path = join(folder, 'calls.csv');
  writeFileSync(`${path}.part`, 'a');
  writeFileSync(`${path}.part.json`, text);
  const file = await openResumable(path, 'calls');
  await file.breakOff();
}

export const operatorEntries: Readonly<Record<string, TextEntry>> = {
  ...Object.fromEntries(variableNames.map((name): [string, TextEntry] => [`the setting ${name}`, {
    shapes: texts, read: (text) => readConfig({ ...(name.startsWith('SVC_OIDC_') ? oidc : {}), [name]: text.replaceAll('\0', 'a') }, '/'),
  }])),
  'the name of a setting': { shapes: texts, read: (text) => readConfig({ [`SVC_${text}`]: 'a' }, '/') },
  'the notes of an export that broke off': { shapes: bodies, read: readNotes },
};
