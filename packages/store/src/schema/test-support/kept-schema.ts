/**
 * The schema as earlier versions made it: the kept SQL of each migration, and rows for every table in the words of its time.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('../released/', import.meta.url));

/** Where the SQL of the migration that made schema `version` lies. */
export function keptSchemaFile(engine: 'sqlite' | 'postgres', version: number): string {
  return `${directory}${String(version).padStart(4, '0')}.${engine}.sql`;
}

/** The statements that made schema `version` out of the one before. */
export function keptSchema(engine: 'sqlite' | 'postgres', version: number): string[] {
  return readFileSync(keptSchemaFile(engine, version), 'utf8').split('--\n').map((statement) => statement.trim().replace(/;$/, ''))
    .filter((statement) => statement !== '');
}

/**
 * Rows for the tables that schema `version` brought. Both engines read the same statements: bytes are written `bytes'00ff'`.
 * Empty if the version brought no table.
 */
export function keptRows(engine: 'sqlite' | 'postgres', version: number): string[] {
  const file = `${directory}${String(version).padStart(4, '0')}.rows.sql`;
  if (!existsSync(file)) return [];
  const bytes = engine === 'sqlite' ? (hex: string) => `x'${hex}'` : (hex: string) => `'\\x${hex}'::bytea`;
  return readFileSync(file, 'utf8').replace(/bytes'([0-9a-f]*)'/g, (_, hex: string) => bytes(hex)).split(';\n')
    .map((statement) => statement.trim()).filter((statement) => statement !== '');
}
