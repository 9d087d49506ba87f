/**
 * The table of refusals compared with the specification's own tables, both ways: every sentence of the specification is used, with its
 * status, code and type; and every other one is among the rules.
 */
import assert from 'node:assert/strict';
import { scopeText } from '@metergate/core/spend/cap-decision.ts';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Wire } from '@metergate/core/wire/wire.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { calendarWindows } from '@metergate/core/spend/window.ts';
import { unmeteredKinds } from '@metergate/core/usage/unmetered.ts';
import { answerFor } from './refusals.ts';

const spec = readFileSync(new URL('../../../../docs/spec.md', import.meta.url), 'utf8');
const windowNames = ['Daily', 'Weekly', 'Monthly', 'Yearly', 'Lifetime'];
/** Scopes and windows of budgets that were decided on, beyond those of the specification. */
const furtherBudgets = new Set<string>(['person', 'label']);

/** One possible refusal: `status code type message`. */
type Line = string;

const line = (status: number, code: string, type: string, message: string): Line => [status, code, type, message].join(' | ');

describe('the table of refusals', () => {
  test('says every sentence of the specification, with its status, code and type, and no other but the decided ones', () => {
    const printed = printedLines();
    const decided = new Set([
      'invalid_request', 'upgrade_not_supported', 'request_timeout', 'headers_too_large', 'internal_error', 'unknown_url', 'unmetered_work_refused',
      'wrong_base_url', 'model_not_allowed',
    ]);
    const said = new Set(everyRefusal().map(answerFor)
      .filter(({ code, budget }) => !decided.has(code) && !furtherBudgets.has(budget?.scope ?? '') && !furtherBudgets.has(budget?.window ?? ''))
      .map(({ status, code, type, message }) => line(status, code, type, message)));
    assert.ok(printed.size >= 41, `the specification's tables are read: ${printed.size} sentences`);
    assert.deepEqual([...said].sort(), [...printed].sort());
  });

  test('names the cap that refused wherever a cap or a run budget was read, and nowhere else', () => {
    for (const refusal of everyRefusal()) {
      const { budget, code } = answerFor(refusal);
      assert.equal(budget !== undefined, code === 'budget_exceeded' || code === 'budget_unverifiable', code);
      if (budget === undefined) continue;
      const expected = 'scope' in refusal ? { scope: refusal.scope, named: scopeText(refusal), window: refusal.window }
        : { scope: 'run', named: 'run', window: 'run' };
      assert.deepEqual(budget, expected);
    }
  });

  test('sends Retry-After on every 429 and 503, always 1 on a 503, and on nothing else', () => {
    for (const refusal of everyRefusal()) {
      const { status, retryAfterSeconds } = answerFor(refusal);
      assert.equal(retryAfterSeconds !== undefined, status === 429 || status === 503, refusal.kind);
      if (status === 503) assert.equal(retryAfterSeconds, 1);
      if (status === 429) assert.equal(retryAfterSeconds, 37);
    }
  });

  test('tells SDKs not to retry what was refused for money: every 402 and a cap\'s 429, and nothing else', () => {
    for (const refusal of everyRefusal()) {
      const { status, code, shouldRetry } = answerFor(refusal);
      assert.equal(shouldRetry === false, status === 402 || (status === 429 && code === 'budget_exceeded'), refusal.kind);
    }
  });

  test('says of work without a known cost which kind it is, when it is refused, and who can allow it', () => {
    const messages = everyRefusal().filter(({ kind }) => kind === 'unmetered_work_refused').map((refusal) => {
      const { status, type, message } = answerFor(refusal);
      assert.deepEqual([status, type], [403, 'invalid_request_error']);
      return message;
    });
    assert.equal(new Set(messages).size, 24);
    for (const message of messages) assert.match(message, /^This organization refuses .+; an admin can allow it in its settings\.$/);
    assert.equal(messages[0], 'This organization refuses work that is billed later; an admin can allow it in its settings.');
  });

  test('says of a model that is not allowed whose list it is, and names it where that fits a sentence', () => {
    const said = (of: 'organization' | 'key', model: string | null): string => {
      const { status, type, message } = answerFor({ kind: 'model_not_allowed', refused: { of, model } });
      assert.deepEqual([status, type], [403, 'invalid_request_error']);
      return message;
    };
    assert.equal(said('organization', 'gpt-4'), 'This organization does not allow the model gpt-4; an admin can change the list of models.');
    assert.equal(said('key', 'a\nb'), 'This API key does not allow the model that this request names; an admin can change the list of models.');
    assert.match(said('key', null), /^This API key allows certain models only, and no model could be read from this request/);
  });

  test('types every 404 as the specification does, and shows method and path', () => {
    assert.match(spec, /code `unknown_url`, type `invalid_request_error`, param null, message of the form `Unknown request URL: <method> <path>\.`/);
    assert.deepEqual(answerFor({ kind: 'unknown_url', method: 'GET', path: '/v2' }), {
      status: 404, code: 'unknown_url', type: 'invalid_request_error', message: 'Unknown request URL: GET /v2.',
    });
  });
});

/** Every sentence that the specification prints under Errors, spelled out. */
function printedLines(): Set<Line> {
  const lines = new Set<Line>();
  for (const cells of rowsUnder('400')) lines.add(line(400, bare(cells[1]!), 'invalid_request_error', cells[3]!));
  for (const cells of rowsUnder('401')) {
    const names = cells[2]!.includes('<provider_name>') ? ['OpenAI', 'Anthropic', 'declared upstream'] : [''];
    for (const name of names) lines.add(line(401, bare(cells[1]!), 'invalid_request_error', cells[2]!.replace('<provider_name>', name)));
  }
  for (const cells of rowsUnder('402')) {
    for (const sentence of spelledOut(cells[2]!)) {
      lines.add(line(402, bare(cells[1]!), 'insufficient_quota', sentence));
      if (/ cap, /.test(cells[0]!)) lines.add(line(429, 'budget_exceeded', 'rate_limit_error', sentence));
    }
  }
  const [rate, pause] = rowsUnder('429');
  lines.add(line(429, bare(rate![1]!), bare(rate![2]!), rate![3]!));
  assert.match(pause![3]!, /^the same sentences as the corresponding 402 rows/);
  for (const cells of rowsUnder('502')) lines.add(line(502, bare(cells[1]!), 'api_error', cells[2]!));
  for (const sentence of unconfirmedSentences()) lines.add(line(503, 'budget_unverifiable', 'insufficient_quota', sentence));
  return lines;
}

/** Cells of the table under a heading that begins with the status. */
function rowsUnder(status: string): string[][] {
  const section = sectionOf(status);
  const rows = section.split('\n').filter((text) => text.startsWith('| ')).map((text) => text.slice(2, -2).split(' | '));
  assert.ok(rows.length > 2, `the table under ${status}`);
  return rows.slice(2);
}

function sectionOf(status: string): string {
  const from = spec.indexOf(`\n### ${status}`);
  assert.ok(from > 0, `the heading ${status}`);
  return spec.slice(from, spec.indexOf('\n### ', from + 1));
}

/** The first code in backticks. */
const bare = (cell: string): string => /`([^`]+)`/.exec(cell)![1]!;

/** `Daily / Weekly / …` once for each. */
function spelledOut(sentence: string): string[] {
  const names = /^((?:\w+ \/ )+\w+) /.exec(sentence)?.[1];
  return names === undefined ? [sentence] : names.split(' / ').map((name) => sentence.replace(names, name));
}

function unconfirmedSentences(): string[] {
  const section = sectionOf('503');
  const templates = [...section.matchAll(/`(<Window> [^`]+)`/g)].map((match) => match[1]!);
  assert.equal(templates.length, 2);
  const run = /run: (Run spend [^\n]+)$/m.exec(section)![1]!;
  return [...templates.flatMap((text) => windowNames.map((name) => text.replace('<Window>', name))), run];
}

function everyRefusal(): Refusal[] {
  const wires: Wire[] = ['openai', 'anthropic', 'upstream'];
  const scopes = [['organization', null], ['key', 'key_a'], ['person', 'person_a'], ['label', 'team:search']] as const;
  const plain = [
    'service_key_invalid', 'wrong_base_url',
    'upstream_not_declared', 'upstream_not_enabled', 'run_id_invalid', 'run_budget_invalid', 'run_ttl_invalid',
    'run_grant_invalid', 'run_closed', 'run_expired', 'run_over_budget', 'run_registry_full', 'run_envelope_zero',
    'run_exposure_exhausted', 'run_unconfirmed', 'upstream_unreachable', 'upstream_not_public', 'internal_fault',
    'expectation_unknown', 'upgrade_unsupported', 'request_timeout', 'headers_too_large',
  ] as const;
  const unmetered = unmeteredKinds.flatMap((kind) => (['refuse', 'refuse-under-limits'] as const).flatMap((rule) =>
    (['asked', 'unread', 'untold'] as const).map((ground): Refusal => ({ kind: 'unmetered_work_refused', work: { kind, rule, ground } }))));
  return [
    ...unmetered,
    ...plain.map((kind) => ({ kind })),
    ...wires.flatMap((wire): Refusal[] => [{ kind: 'provider_key_missing', wire }, { kind: 'provider_key_unavailable', wire }]),
    { kind: 'rate_limited', retryAfterSeconds: 37 },
    ...scopes.flatMap(([scope, subject]) => calendarWindows.flatMap((window): Refusal[] => [
      { kind: 'cap_reached', scope, subject, window, mode: 'refuse', retryAfterSeconds: null },
      { kind: 'cap_reached', scope, subject, window, mode: 'pause', retryAfterSeconds: 37 },
      { kind: 'cap_unconfirmed', scope, subject, window },
    ])),
    { kind: 'unknown_url', method: 'GET', path: '/' },
    { kind: 'malformed_request', fault: 'The request is not valid HTTP/1.1.' },
  ];
}
