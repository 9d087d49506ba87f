/** `metergate calls list`: the records of calls, newest first. Design 4; 5. */
import { rangeOf } from '@metergate/core/time/time-range.ts';
import { callsLimit, listCalls } from '@metergate/platform/use-cases/calls.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, commandGroup } from '../command-line/command.ts';
import { onStore } from '../command-line/on-store.ts';
import { checkedRange, rangeWords, wholeNumberOf } from '../command-line/value-forms.ts';
import { callsText } from './calls-text.ts';

const list = command({
  description: 'List calls, newest first',
  args: {
    org: { type: 'string', required: true, valueHint: 'ORG', description: 'Organization, by id or unique name' },
    since: { type: 'string', valueHint: 'T', description: 'Calls that started at or after this time: 2026-11-01, today, 7d, …' },
    until: { type: 'string', valueHint: 'T', description: 'Calls that started before this time' },
    run: { type: 'string', valueHint: 'RUN', description: 'Calls of this run' },
    limit: { type: 'string', valueHint: 'N', description: `At most so many: ${callsLimit.default} unless given, up to ${callsLimit.max}` },
  },
  run: ({ org, since, until, run, limit }, tools) => {
    const query = {
      organization: org,
      ...checkedRange(rangeOf(rangeWords({ since, until }), tools.nowMs())),
      ...(run === undefined ? {} : { run }),
      ...(limit === undefined ? {} : { limit: wholeNumberOf('limit', limit, { min: 1, max: callsLimit.max }) }),
    };
    return onStore(tools, async (context) => {
      const records = await listCalls(context, query);
      return isRefusal(records) ? records : { json: records, text: callsText(records) };
    });
  },
});

export const calls = commandGroup('List records of calls', { list });
