/**
 * `/metrics` equals what happened: calls, refusals, tokens and money of the running product, in a form that Prometheus reads, and without
 * the name of any organization, key, model or path.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { wholeMetrics } from '@metergate/testkit/whole-metrics.ts';
import { allShipped } from '../all-shipped.ts';
import { serviceForFile } from '../running-product.ts';

// A feed that cannot be reached, and calls of the node to itself, so that their figures are there.
const service = serviceForFile({ env: { SVC_PRICES_URL: 'https://127.0.0.1/data.json', SVC_OWN_CALLS: 'on' } }, async () => {
  await eventually(async () => {
    const text = await metricsText();
    return ['own_call_up', 'own_call_seconds', 'price_feed_failing_seconds'].every((name) => text.includes(`\nmetergate_${name} `));
  }, 'the first call to itself and the first look at the feed are not on /metrics');
});
const answer = {
  model: 'gpt-4o-mini-2024-07-18', choices: [],
  usage: { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 40 } },
};

async function call(path: string, init: { key?: string; body?: string; headers?: Record<string, string> } = {}): Promise<number> {
  const response = await fetch(`${service.system.gatewayUrl}${path}`, {
    method: init.body === undefined ? 'GET' : 'POST', ...(init.body === undefined ? {} : { body: init.body }),
    headers: { authorization: `Bearer ${init.key ?? service.key}`, ...init.headers },
  });
  await response.arrayBuffer();
  return response.status;
}

const metricsText = (): Promise<string> => wholeMetrics(service.system);

/** Its series, without those that the platform reports once a minute. */
function seriesOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.slice(0, line.lastIndexOf(' ')));
  return lines.filter((series) => !/^metergate_(figure|followed|organizations|platform|price|retention|settlements)/.test(series));
}

/** The value of one series; 0 if it does not exist. */
function valueOf(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? 0 : Number(line.slice(series.length + 1));
}

test('calls, refusals, tokens, spend and histograms equal what was called', async () => {
  service.system.openai.respond(({ target }) => target.startsWith('/v1/embeddings')
    ? { status: 500, headers: [['content-type', 'application/json']], body: '{}' }
    : { headers: [['content-type', 'application/json']], body: JSON.stringify(answer) });
  const statuses = [
    await call('/v1/chat/completions', { body: '{"model":"gpt-4o-mini","messages":[]}' }),
    await call('/v1/chat/completions', { body: '{"model":"gpt-4o-mini","messages":[]}' }),
    await call('/v1/embeddings', { body: '{}' }),
    await call('/v1/chat/completions', { key: 'svc_live_nobody', body: '{}' }),
    await call('/nowhere'),
    await call('/v1/chat/completions', { body: '{}', headers: { 'x-svc-run-budget': '1' } }),
  ];
  assert.deepEqual(statuses, [200, 200, 500, 401, 404, 400]);
  await allShipped(service.system);
  const text = await metricsText();
  const completed = 'metergate_calls_total{wire="openai",endpoint="chat.completions",status="2xx",outcome="completed"}';
  assert.deepEqual({
    completed: valueOf(text, completed),
    failed: valueOf(text, 'metergate_calls_total{wire="openai",endpoint="embeddings",status="5xx",outcome="completed"}'),
    key: valueOf(text, 'metergate_refusals_total{code="invalid_api_key"}'),
    url: valueOf(text, 'metergate_refusals_total{code="unknown_url"}'),
    run: valueOf(text, 'metergate_refusals_total{code="invalid_run_id"}'),
    input: valueOf(text, 'metergate_tokens_total{wire="openai",type="input"}'),
    cached: valueOf(text, 'metergate_tokens_total{wire="openai",type="cached"}'),
    output: valueOf(text, 'metergate_tokens_total{wire="openai",type="output"}'),
    durations: valueOf(text, 'metergate_call_duration_seconds_count{wire="openai"}'),
    added: valueOf(text, 'metergate_added_latency_seconds_count'),
  }, { completed: 2, failed: 1, key: 1, url: 1, run: 1, input: 200, cached: 80, output: 40, durations: 3, added: 3 });
  const records = await service.system.calls({ count: 3 });
  const cost = records.reduce((sum, record) => sum + Number(record.cost ?? 0), 0);
  assert.ok(cost > 0);
  assert.ok(Math.abs(valueOf(text, 'metergate_spend_usd_total{wire="openai"}') - cost) < 1e-12);
});

test('every line is of the exposition format, every family is described once, and buckets add up', async () => {
  const text = await metricsText();
  const families = new Set<string>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const described = /^# TYPE (\S+) (?:counter|gauge|histogram)$/.exec(line);
    if (described !== null) {
      assert.ok(!families.has(described[1]!), `${line} stands twice`);
      families.add(described[1]!);
      continue;
    }
    if (/^# HELP \S+ .*[^ ]$/.test(line)) continue;
    const sample = /^([a-z_]+)(?:\{(?:[a-z_]+="[^"\\\n]*",?)+\})? (?:[0-9.e+-]+|NaN)$/.exec(line);
    assert.ok(sample !== null, line);
    assert.ok(families.has(sample[1]!) || families.has(sample[1]!.replace(/_(?:bucket|sum|count)$/, '')), `${line} is not described`);
  }
  const buckets = text.split('\n').filter((line) => line.startsWith('metergate_added_latency_seconds_bucket'))
    .map((line) => Number(line.split(' ')[1]));
  assert.deepEqual(buckets, buckets.toSorted((one, other) => one - other));
  assert.equal(buckets.at(-1), valueOf(text, 'metergate_added_latency_seconds_count'));
});

test('no name of a caller, a model or a path is a label, whatever is sent', async () => {
  const before = new Set(seriesOf(await metricsText()));
  for (const model of ['canary-model-1', 'canary-model-2']) {
    service.system.openai.respond({ headers: [['content-type', 'application/json']], body: JSON.stringify({ ...answer, model }) });
    await call(`/v1/canary-path/${model}`, { body: '{}', headers: { 'x-svc-tags': 'canary-label', 'x-svc-project': 'canary-project' } });
  }
  await call('/v1/canary-path/1', { key: 'svc_live_canary', body: '{}' });
  const text = await metricsText();
  assert.doesNotMatch(text, /canary|org_|key_|svc_live/);
  // Two new outcomes of an endpoint may each add one series; no call adds one.
  const added = seriesOf(text).filter((series) => !before.has(series));
  assert.ok(added.length <= 4, added.join('\n'));
});

test('operating.md names every metric, and none that does not exist', async () => {
  const operating = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const families = [...(await metricsText()).matchAll(/^# TYPE (metergate_\w+) /gm)].map(([, name]) => name!);
  const named = [...new Set([...operating.matchAll(/\bmetergate_[a-z_*]+/g)].map(([name]) => name))];
  const covers = (name: string, family: string): boolean => {
    const [before, behind] = name.split('*');
    return behind === undefined ? name === family : family.startsWith(before!) && family.endsWith(behind);
  };
  assert.deepEqual(families.filter((family) => !named.some((name) => covers(name, family))), []);
  // Some are shown only where what they tell of is in use.
  const folder = new URL('../../packages/cli/src/start/metrics/', import.meta.url);
  const source = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8')).join('');
  const shown = (name: string): boolean => families.some((family) => covers(name, family)) || source.includes(`'${name}'`);
  assert.deepEqual(named.filter((name) => !shown(name)), []);
});

test('the Grafana dashboard uses only metrics that exist', async () => {
  const dashboard = readFileSync(new URL('../../deploy/grafana/metergate.json', import.meta.url), 'utf8');
  const text = await metricsText();
  const asked = new Set([...dashboard.matchAll(/\bmetergate_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, '')));
  assert.ok(asked.size > 15);
  assert.deepEqual([...asked].filter((name) => !text.includes(`# TYPE ${name} `)), []);
});

test('the alerts use only metrics that exist, and each names a section that says what to do', async () => {
  const rules = readFileSync(new URL('../../deploy/prometheus/alerts.yml', import.meta.url), 'utf8');
  const operating = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const text = await metricsText();
  const asked = new Set([...rules.matchAll(/\bmetergate_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, '')));
  assert.ok(asked.size > 8);
  assert.deepEqual([...asked].filter((name) => !text.includes(`# TYPE ${name} `)), []);
  const sections = [...rules.matchAll(/runbook: docs\/operating\.md#([a-z-]+)/g)].map(([, section]) => section!);
  assert.equal(sections.length, [...rules.matchAll(/- alert: /g)].length);
  assert.deepEqual(sections.filter((section) => !operating.includes(`### ${section}\n`)), []);
});
