/** Calls → lines of an export, one for each, with the fields of a record under their names (rules: Record). */
import { callRecordToJson, type CallRecordJson } from '@metergate/core/record/call-record.ts';
import { csvLine, type CsvValue } from './csv.ts';
import type { ExportedCall, ExportForm } from './export-form.ts';

/** JSON, one record per line. */
export function jsonLines(): ExportForm {
  return linesOf('', ({ record }) => `${JSON.stringify(callRecordToJson(record))}\n`);
}

/** A table with a line of names. Labels are a JSON array in one cell; a key's name stands beside its id. */
export function csvLines(): ExportForm {
  return linesOf(csvLine(recordColumns.flatMap((name) => (name === 'key' ? [name, 'keyName'] : [name]))), (call) => csvLine(valuesOf(call)));
}

function linesOf(head: string, lineOf: (call: ExportedCall) => string): ExportForm {
  return { head, add: (call) => ({ content: lineOf(call), holds: 'this' }), state: () => null, end: () => '' };
}

/** Every field of a record, in the order of tables. */
export const recordColumns = [
  'id', 'organization', 'key', 'project', 'labels', 'labelsDropped', 'run', 'wire', 'endpoint', 'method', 'path', 'streamed', 'status', 'outcome',
  'model', 'finishReason', 'inputTokens', 'outputTokens', 'cachedTokens', 'cacheWriteTokens', 'reasoningTokens', 'usage', 'usageReason', 'cost',
  'costGaps', 'serviceTier', 'audioInputTokens', 'audioOutputTokens', 'toolCalls', 'costSource', 'priceList', 'providerRequestId', 'requestBytes',
  'responseBytes', 'startedAt', 'firstByteMs', 'durationMs', 'node', 'label', 'requestedModel', 'pricedBy', 'units', 'transport', 'connection',
  'session', 'upstream',
  'kind', 'works', 'settles', 'settledBy',
] as const satisfies readonly (keyof CallRecordJson)[];

// Fails to compile if a field of the record is missing above.
type Missing = Exclude<keyof CallRecordJson, (typeof recordColumns)[number]>;
const whole: [Missing] extends [never] ? true : never = true;

function valuesOf({ record, keyName }: ExportedCall): CsvValue[] {
  const json = callRecordToJson(record);
  return whole && recordColumns.flatMap((name): CsvValue[] => {
    const value = json[name];
    const cell = typeof value === 'boolean' ? String(value) : typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    return name === 'key' ? [cell, keyName] : [cell];
  });
}
