/** Call records → lines of an export, one for each record, with the fields of design 4 under their names. */
import { callRecordToJson, type CallRecord, type CallRecordJson } from '@metergate/core/record/call-record.ts';
import { csvLine, type CsvValue } from './csv.ts';
import type { ExportLines } from './export-lines.ts';

/** JSON, one record a line. */
export function jsonLines(): ExportLines {
  return { head: '', add: (record) => `${JSON.stringify(callRecordToJson(record))}\n`, end: () => '' };
}

const columns = [
  'id', 'organization', 'key', 'project', 'labels', 'labelsDropped', 'run', 'wire', 'endpoint', 'method', 'path', 'streamed', 'status', 'outcome',
  'model', 'finishReason', 'inputTokens', 'outputTokens', 'cachedTokens', 'cacheWriteTokens', 'reasoningTokens', 'usage', 'usageReason', 'cost',
  'costGaps', 'serviceTier', 'audioInputTokens', 'audioOutputTokens', 'toolCalls', 'costSource',
  'priceList', 'providerRequestId', 'requestBytes', 'responseBytes', 'startedAt', 'firstByteMs', 'durationMs', 'node', 'label',
] as const satisfies readonly (keyof CallRecordJson)[];

/** A table with a line of names. Labels are a JSON array in one cell. */
export function csvLines(): ExportLines {
  return { head: csvLine(columns), add: (record) => csvLine(valuesOf(record)), end: () => '' };
}

function valuesOf(record: CallRecord): CsvValue[] {
  const json = callRecordToJson(record);
  return columns.map((name) => {
    const value = json[name];
    return typeof value === 'boolean' ? String(value) : typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  });
}
