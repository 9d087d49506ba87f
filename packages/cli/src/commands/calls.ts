/** `metergate calls list|show`: the records of calls, newest first. Rules: Record; rules: Interfaces. */
import { rangeOf } from '@metergate/core/time/time-range.ts';
import { callOutcomes, type CallOutcome } from '@metergate/core/record/call-record.ts';
import { costLacks, type CostLack } from '@metergate/core/report/call-search.ts';
import { usageStates, type UsageState } from '@metergate/core/usage/reading.ts';
import { callsLimit, listCalls, showCall } from '@metergate/platform/use-cases/calls.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, commandGroup } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { onStore, showing } from '../command-line/on-store.ts';
import { fields } from '../command-line/table.ts';
import { givenRange, rangeWords, statusFilter, givenWholeNumber } from '../command-line/value-forms.ts';
import { callsText } from './calls-text.ts';

const list = command({
  description: 'List calls, newest first',
  args: {
    org: orgArgument,
    since: { type: 'string', valueHint: 'T', description: 'Calls that started at or after this time: 2026-11-01, today, 7d, …' },
    until: { type: 'string', valueHint: 'T', description: 'Calls that started before this time' },
    key: { type: 'string', valueHint: 'KEY', description: 'Calls of this service key, by id' },
    project: { type: 'string', valueHint: 'PROJECT', description: 'Calls for this project' },
    label: { type: 'string', valueHint: 'LABEL', description: 'Calls with this label' },
    model: { type: 'string', valueHint: 'MODEL', description: 'Calls whose answer names this model' },
    run: { type: 'string', valueHint: 'RUN', description: 'Calls of this run' },
    session: { type: 'string', valueHint: 'SESSION', description: 'Calls of this session, as the agent names it' },
    upstream: { type: 'string', valueHint: 'NAME', description: 'Calls to the upstream of this name' },
    connection: { type: 'string', valueHint: 'CALL', description: 'Responses of this WebSocket connection, by the id of the call that opened it' },
    outcome: { type: 'enum', options: [...callOutcomes], description: `Calls with this outcome: ${callOutcomes.join(', ')}` },
    usage: { type: 'enum', options: [...usageStates], description: `Calls whose usage is: ${usageStates.join(', ')}` },
    status: { type: 'string', valueHint: 'S', description: 'Calls with this status: 429, 4xx, or error (not reached, cut, 5xx or 429)' },
    lacks: { type: 'enum', options: [...costLacks], description: 'Calls whose cost lacks its usage, its price or a part of it, or any of these' },
    limit: { type: 'string', valueHint: 'N', description: `At most this many: ${callsLimit.default} unless given, up to ${callsLimit.max}` },
  },
  run: ({ org, since, until, key, project, label, model, run, session, upstream, connection, outcome, usage, status, lacks, limit }, tools) => {
    const query = {
      organization: org,
      ...givenRange(rangeOf(rangeWords({ since, until }), tools.nowMs())),
      filter: {
        key, project, label, model, run, session, upstream, connection,
        outcome: outcome as CallOutcome | undefined, usage: usage as UsageState | undefined,
        status: status === undefined ? undefined : statusFilter('status', status), lacks: lacks as CostLack | undefined,
      },
      ...(limit === undefined ? {} : { limit: givenWholeNumber('limit', limit, { min: 1, max: callsLimit.max }) }),
    };
    return onStore(tools, async (context) => {
      const records = await listCalls(context, query);
      if (isRefusal(records)) return records;
      if (tools.wantsJson === true || records.length === 0) return { json: records, text: () => callsText(records) };
      const names = await context.store.keyNames.names(records[0]!.organization, records.map(({ key: each }) => each));
      return { json: records, text: (width) => callsText(records, { names, width }) };
    });
  },
});

const show = command({
  description: 'Show the record of one call',
  args: { id: { type: 'positional', required: true, valueHint: 'ID', description: 'The x-svc-request-id of the answer' } },
  run: ({ id }, tools) => showing(tools, (context) => showCall(context, null, id), (record) => {
    const entries = Object.entries(record).map(([name, value]) =>
      [name, typeof value === 'string' || typeof value === 'number' || value === null ? value : JSON.stringify(value)] as const);
    return { json: record, text: fields(entries) };
  }),
});

export const calls = commandGroup('List and show records of calls', { list, show });
