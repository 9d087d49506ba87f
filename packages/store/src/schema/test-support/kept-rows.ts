/** Rows for the tables that earlier versions made, in the words of their time. */
import { existsSync, readFileSync } from 'node:fs';

/**
 * Rows for the tables that schema `version` brought. Both engines read the same statements: bytes are written `bytes'00ff'`.
 * Empty if the version brought no table.
 */
export function keptRows(engine: 'sqlite' | 'postgres', version: number): string[] {
  const file = new URL(`rows/${String(version).padStart(4, '0')}.sql`, import.meta.url);
  if (!existsSync(file)) return [];
  const bytes = engine === 'sqlite' ? (hex: string) => `x'${hex}'` : (hex: string) => `'\\x${hex}'::bytea`;
  return readFileSync(file, 'utf8').replace(/bytes'([0-9a-f]*)'/g, (_, hex: string) => bytes(hex)).split(';\n')
    .map((statement) => statement.trim()).filter((statement) => statement !== '');
}
