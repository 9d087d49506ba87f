/**
 * What clouds and routers export: FOCUS files, which all clouds write; Azure's cost details; the cost and usage report of AWS; Google Cloud's
 * billing export; the activity of OpenRouter. Amounts are those of usage: credits, taxes and refunds are left out.
 */
import { amountOf, countsOf, billFigure, type Amount } from '../bill.ts';
import type { ExportRow } from '../csv-rows.ts';
import { textOf } from '../json-rows.ts';
import { dollarsOf, readCloudRow, sellsModels } from './cloud-row.ts';
import { bucketOfRow, firstOf, nothingBilled, type RowForm, type SellerForms } from './form.ts';

/** FOCUS 1.0 to 1.2. Microsoft adds `x_SkuMeterName`, AWS `x_UsageType`. */
const focusForm: RowForm = {
  title: 'FOCUS rows (ChargePeriodStart, ServiceName, BilledCost, BillingCurrency, ConsumedQuantity)',
  columns: [['chargeperiodstart'], ['billedcost', 'effectivecost'], ['servicename']],
  times: [['chargeperiodstart'], ['chargeperiodend']],
  read(row, bucketOf) {
    const charged = textOf(row.get('chargecategory'))?.toLowerCase() ?? 'usage';
    const [service, hint] = [row.get('servicename'), firstOf(row, ['x_skumetersubcategory', 'x_skumetercategory', 'chargedescription'])];
    if (charged !== 'usage' || !sellsModels(service, row.get('x_skumetercategory'), row.get('x_skumetersubcategory'))) return null;
    const currency = row.get('billingcurrency');
    const inDollars = firstOf(row, ['x_billedcostinusd']);
    const consumed = firstOf(row, ['consumedquantity']) !== undefined;
    return readCloudRow({
      bucket: bucketOf(row.get('chargeperiodstart'), row.get('chargeperiodend')), product: hint,
      meter: firstOf(row, ['x_skumetername', 'x_usagetype', 'skumeter', 'chargedescription', 'skuid']),
      quantity: row.get(consumed ? 'consumedquantity' : 'pricingquantity'), unit: row.get(consumed ? 'consumedunit' : 'pricingunit'),
      amount: inDollars === undefined ? dollarsOf(firstOf(row, ['billedcost', 'effectivecost']), currency) : amountOf(inDollars, 0), currency,
    });
  },
};

const azureForm: RowForm = {
  title: 'rows of cost details, actual or amortized (Date, MeterName, MeterCategory, Quantity, UnitOfMeasure, CostInBillingCurrency or CostInUsd)',
  columns: [['date', 'usagedate', 'usagedatetime'], ['metername'], ['costinusd', 'costinbillingcurrency', 'pretaxcost', 'cost']],
  read(row) {
    const charged = textOf(row.get('chargetype'))?.toLowerCase() ?? 'usage';
    const [category, subcategory] = [row.get('metercategory'), row.get('metersubcategory')];
    if (charged !== 'usage' || !sellsModels(category, subcategory, row.get('consumedservice'))) return null;
    const inDollars = firstOf(row, ['costinusd']);
    const currency = firstOf(row, ['billingcurrency', 'billingcurrencycode', 'currency']);
    return readCloudRow({
      bucket: bucketOfRow(isoDate(firstOf(row, ['date', 'usagedate', 'usagedatetime']))), product: subcategory, meter: row.get('metername'),
      quantity: firstOf(row, ['quantity', 'usagequantity']), unit: row.get('unitofmeasure'),
      amount: inDollars === undefined ? dollarsOf(firstOf(row, ['costinbillingcurrency', 'pretaxcost', 'cost']), currency) : amountOf(inDollars, 0),
      currency,
    });
  },
};

/** CUR 2.0, and the names of the report before it: `lineItem/UsageType`. */
const awsForm: RowForm = {
  title: 'rows of the cost and usage report (line_item_usage_start_date, line_item_usage_type, line_item_usage_amount, line_item_unblended_cost)',
  columns: [
    ['line_item_usage_start_date', 'lineitem_usagestartdate'], ['line_item_usage_type', 'lineitem_usagetype'],
    ['line_item_unblended_cost', 'lineitem_unblendedcost'],
  ],
  times: [['line_item_usage_start_date', 'lineitem_usagestartdate'], ['line_item_usage_end_date', 'lineitem_usageenddate']],
  read(row) {
    const get = (name: string): unknown => firstOf(row, [`line_item_${name}`, `lineitem_${name.replaceAll('_', '')}`]);
    const charged = textOf(get('line_item_type'))?.toLowerCase() ?? 'usage';
    const product = firstOf(row, ['product_product_name', 'product_productname', 'product_servicename', 'product']);
    const service = firstOf(row, ['product_servicecode', 'line_item_product_code', 'lineitem_productcode']);
    const sells = sellsModels(service, product, get('line_item_description'));
    if ((charged !== 'usage' && charged !== 'discountedusage') || !sells) return null;
    const currency = get('currency_code');
    return readCloudRow({
      bucket: bucketOfRow(get('usage_start_date'), get('usage_end_date')), meter: get('usage_type'),
      product: (textOf(product) ?? '').replace('(Amazon Bedrock Edition)', '').trim(), quantity: get('usage_amount'),
      unit: firstOf(row, ['pricing_unit']), amount: dollarsOf(get('unblended_cost'), currency), currency,
    });
  },
};

const googleForm: RowForm = {
  title: 'rows of the billing export of Google Cloud (usage_start_time, sku.description, usage.amount, cost, currency)',
  columns: [['usage_start_time'], ['sku_description'], ['cost']],
  times: [['usage_start_time'], ['usage_end_time']],
  read(row, bucketOf) {
    const charged = textOf(row.get('cost_type'))?.toLowerCase() ?? 'regular';
    if (charged !== 'regular' || !sellsModels(row.get('service_description'), row.get('sku_description'))) return null;
    const currency = row.get('currency');
    return readCloudRow({
      bucket: bucketOf(row.get('usage_start_time'), row.get('usage_end_time')), meter: row.get('sku_description'),
      quantity: row.get('usage_amount'), unit: row.get('usage_unit'),
      amount: converted(row) ?? dollarsOf(row.get('cost'), currency), currency,
    });
  },
};

/** The export names the rate by which it converted US dollars. */
function converted(row: ExportRow): Amount | null {
  const rate = textOf(row.get('currency_conversion_rate'));
  if (rate === null || textOf(row.get('currency'))?.toLowerCase() === 'usd') return null;
  const [{ cost, places }, by] = [amountOf(row.get('cost'), 0), amountOf(rate, 0).cost];
  return by <= 0n ? null : { cost: (cost * 1_000_000_000n / by) as Amount['cost'], places: Math.min(places, 6) };
}

const openrouterForms: readonly RowForm[] = [
  {
    title: 'the activity by day, JSON or CSV (date, model_permaslug or model, usage, requests, prompt_tokens, completion_tokens)',
    columns: [['date'], ['model_permaslug', 'model'], ['usage'], ['prompt_tokens']],
    read(row) {
      const bucket = bucketOfRow(row.get('date'));
      const { cost, places } = amountOf(row.get('usage'), 0);
      const counts = countsOf({
        calls: billFigure(row.get('requests')), inputTokens: billFigure(row.get('prompt_tokens')),
        outputTokens: billFigure(row.get('completion_tokens')), reasoningTokens: billFigure(row.get('reasoning_tokens')),
      });
      return { line: { ...nothingBilled, day: bucket.day, name: textOf(firstOf(row, ['model_permaslug', 'model'])), counts, cost }, bucket, places };
    },
  },
  {
    title: 'the activity by generation, CSV (generation_id, created_at, model_permaslug, tokens_prompt, tokens_completion, cost_total)',
    columns: [['created_at'], ['model_permaslug'], ['tokens_prompt'], ['cost_total']],
    read(row) {
      const bucket = bucketOfRow(row.get('created_at'));
      const { cost, places } = amountOf(row.get('cost_total'), 0);
      const counts = countsOf({
        calls: 1, inputTokens: billFigure(row.get('tokens_prompt')), outputTokens: billFigure(row.get('tokens_completion')),
        reasoningTokens: billFigure(row.get('tokens_reasoning')), cachedTokens: billFigure(row.get('tokens_cached')),
      });
      return { line: { ...nothingBilled, day: bucket.day, name: textOf(row.get('model_permaslug')), counts, cost }, bucket, places };
    },
  },
];

/** `11/22/2026`, as Azure's CSV files write a day, as ISO 8601. */
function isoDate(value: unknown): unknown {
  const match = /^(\d\d?)\/(\d\d?)\/(\d{4})$/.exec(textOf(value) ?? '');
  return match === null ? value : `${match[3]}-${match[1]!.padStart(2, '0')}-${match[2]!.padStart(2, '0')}`;
}

// Tools of clouds are separate services, whose rows are left out.
export const azureForms: SellerForms = { pages: null, rows: [azureForm, focusForm], itemsApart: false };
export const bedrockForms: SellerForms = { pages: null, rows: [awsForm, focusForm], itemsApart: false };
export const googleForms: SellerForms = { pages: null, rows: [googleForm, focusForm], itemsApart: false, pacificDays: true };
export const routerForms: SellerForms = { pages: null, rows: openrouterForms, itemsApart: false };
