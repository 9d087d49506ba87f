/** Anthropic's exports: pages of the usage and cost reports of its Admin API, and the CSV files of its console. */
import { amountOf, checkDollars, countsOf, billFigure, type BillLine, type Counts } from '../bill.ts';
import type { BillDay } from '../bill-days.ts';
import { itemOf } from '../bill-items.ts';
import { isObject, textOf, type JsonMembers } from '../json-rows.ts';
import { bucketOfRow, firstOf, isoBucket, nothingBilled, type ReadLine, type SellerForms } from './form.ts';

const dayColumns = ['usage_date_utc', 'date'];

export const anthropicForms: SellerForms = {
  itemsApart: true,
  pages: {
    title: 'JSON pages of usage_report/messages or of cost_report',
    bucketOf: (bucket) => isoBucket(bucket.starting_at, bucket.ending_at),
    read: (bucket, result) => ('amount' in result ? costResult(bucket, result) : 'uncached_input_tokens' in result ? usageResult(bucket, result)
      : null),
  },
  rows: [
    {
      title: 'the console\'s cost CSV (usage_date_utc, model, cost_usd)',
      columns: [dayColumns, ['cost_usd']],
      read(row) {
        const bucket = bucketOfRow(firstOf(row, dayColumns));
        const { cost, places } = amountOf(row.get('cost_usd'), 0);
        const line = lineOf(bucket.day, textOf(row.get('cost_type')), textOf(row.get('model_version')) ?? textOf(row.get('model')), null);
        return { line: { ...line, requestId: textOf(row.get('request_id')), cost }, bucket, places };
      },
    },
    {
      title: 'the console\'s usage CSV (usage_date_utc, model_version, usage_input_tokens_no_cache, usage_output_tokens)',
      columns: [dayColumns, ['usage_input_tokens_no_cache', 'uncached_input_tokens']],
      read(row) {
        const bucket = bucketOfRow(firstOf(row, dayColumns));
        const requestId = textOf(row.get('request_id'));
        const written = ['usage_input_tokens_cache_write_5m', 'usage_input_tokens_cache_write_1h'].map((name) => billFigure(row.get(name)));
        const counts = countsOf({
          calls: requestId === null ? null : 1, inputTokens: billFigure(firstOf(row, ['usage_input_tokens_no_cache', 'uncached_input_tokens'])),
          outputTokens: billFigure(firstOf(row, ['usage_output_tokens', 'output_tokens'])),
          cachedTokens: billFigure(row.get('usage_input_tokens_cache_read')), cacheWriteTokens: sumOf(written),
          webSearches: billFigure(row.get('web_search_count')),
        });
        const name = textOf(row.get('model_version')) ?? textOf(row.get('model'));
        return { line: { ...nothingBilled, day: bucket.day, name, requestId, counts }, bucket, places: null };
      },
    },
  ],
};

function costResult(bucket: BillDay, result: JsonMembers): ReadLine {
  checkDollars(result.currency);
  const { cost, places } = amountOf(result.amount, 2);
  const line = lineOf(bucket.day, textOf(result.cost_type), textOf(result.model), textOf(result.description));
  return { line: { ...line, cost }, bucket, places };
}

/** Its description is `Claude Opus 5 Usage - Input Tokens`, where it does not name the model by itself. */
function lineOf(day: string, costType: string | null, model: string | null, description: string | null): BillLine {
  const line = { ...nothingBilled, day };
  if (costType !== null && costType !== 'tokens') return { ...line, name: description ?? costType, item: itemOf(costType) ?? 'other' };
  if (model !== null) return { ...line, name: model };
  if (description === null) return line;
  const item = costType === 'tokens' ? null : itemOf(description);
  const end = description.toLowerCase().indexOf(' usage');
  return { ...line, item, name: item !== null || end < 1 ? description : description.slice(0, end) };
}

function usageResult(bucket: BillDay, result: JsonMembers): ReadLine {
  return { line: { ...nothingBilled, day: bucket.day, name: textOf(result.model), counts: usageCounts(result) }, bucket, places: null };
}

function usageCounts(result: JsonMembers): Counts {
  const written = isObject(result.cache_creation) ? result.cache_creation : {};
  const tools = isObject(result.server_tool_use) ? result.server_tool_use : {};
  return countsOf({
    inputTokens: billFigure(result.uncached_input_tokens), outputTokens: billFigure(result.output_tokens),
    cachedTokens: billFigure(result.cache_read_input_tokens),
    cacheWriteTokens: sumOf([billFigure(written.ephemeral_5m_input_tokens), billFigure(written.ephemeral_1h_input_tokens)]),
    webSearches: billFigure(tools.web_search_requests), webFetches: billFigure(tools.web_fetch_requests),
  });
}

/** Null: none is known. */
function sumOf(figures: readonly (number | null)[]): number | null {
  return figures.reduce((sum, figure) => (figure === null ? sum : (sum ?? 0) + figure), null);
}
