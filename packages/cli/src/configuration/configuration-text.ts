/** A configuration → YAML. Amounts are short and in quotes, so that no YAML reader turns them into rounded numbers. */
import type { ExportedConfiguration } from '@metergate/platform/use-cases/configuration/export.ts';
import { stringify } from 'yaml';
import { shortDecimal } from '../command-line/table.ts';

/** Without the line end at its end. */
export function configurationText({ configuration, credentialLeftOut }: ExportedConfiguration): string {
  const text = stringify(short(configuration), { version: '1.2', schema: 'core', lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
  const note = '# Credentials of upstreams are stored and are not exported. To set one: credential: { env: NAME } or { file: PATH }';
  return credentialLeftOut ? `${text}\n${note}` : text;
}

const amounts = new Set(['maxRunBudget', 'runCeiling', 'runExposure', 'limit', 'input', 'output']);

function short(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => short(each));
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, short(each, key)]));
  return typeof value === 'string' && amounts.has(name) ? shortDecimal(value) : value;
}
