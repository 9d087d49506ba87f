/**
 * The tap's conformance kit for the JavaScript tap: it runs the data files of `test/tap/kit`, which the taps of all languages
 * read. Spec: Tap client wrapper, Tap reporter, Tap event; rules 27 to 30c.
 */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import * as notices from '@metergate/tap/src/notices.ts';
import { observe } from '@metergate/tap/src/observe/observe.ts';
import { providerOf } from '@metergate/tap/src/observe/provider.ts';
import { readHead } from '@metergate/tap/src/observe/response-head.ts';
import { readingBody } from '@metergate/tap/src/observe/reading-body.ts';
import { readingInto } from '@metergate/tap/src/observe/reading.ts';
import { stopReasonOf } from '@metergate/tap/src/observe/stop-reason.ts';
import { createReporter } from '@metergate/tap/src/reporting/reporter.ts';
import { tapSettingsOf, type TapOptions } from '@metergate/tap/src/settings.ts';
import { eventJson } from '@metergate/tap/src/tap-event.ts';
import { tap } from '@metergate/tap/src/tap.ts';
import { ManualEnvironment } from '@metergate/tap/src/test-support/manual-environment.ts';
import type { SeenFigures, SeenCall } from '@metergate/tap/src/seen-call.ts';

/** One data file: its cases, and what they share. */
function kit<Case, Shared = object>(name: string): Shared & { readonly cases: readonly Case[] } {
  return JSON.parse(readFileSync(new URL(`./kit/${name}.json`, import.meta.url), 'utf8')) as Shared & { cases: Case[] };
}

const untouched = (): SeenFigures => ({
  provider: 'other', model: 'asked', request_id: null, input_tokens: 0, output_tokens: 0, cached_tokens: 0,
  stop_reason: 'other', tool_calls: 0, status: 200, latency_ms: 0, rate_limit: null,
});

function assertFigures(figures: SeenFigures, expected: Partial<SeenFigures>): void {
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, figures[name as keyof SeenFigures]])), expected);
}

test('every notice is the line that all taps print', () => {
  const { noticeLine, ...sentences } = notices;
  const lines = Object.fromEntries(kit<{ name: string; line: string }>('notices').cases.map(({ name, line }) => [name, line]));
  assert.deepEqual(Object.fromEntries(Object.entries(sentences).map(([name, text]) => [name, noticeLine(text)])), lines);
});

test('words in which answers end', () => {
  for (const { word, is } of kit<{ word: string; is: string }>('stop-reasons').cases) assert.equal(stopReasonOf(word), is, JSON.stringify(word));
});

test('providers by the base URL', () => {
  for (const { url, is } of kit<{ url: string; is: string }>('providers').cases) assert.equal(providerOf({ baseURL: url }), is, url);
});

test('tags that are refused', () => {
  for (const { tag, ok } of kit<{ tag: string; ok: boolean }>('tags').cases) {
    const wrap = (): unknown => tap({}, tag, { key: 'k', endpoint: 'none' });
    if (ok) assert.doesNotThrow(wrap);
    else assert.throws(wrap, TypeError, JSON.stringify(tag));
  }
});

describe('readings', () => {
  for (const { name, parts, figures } of kit<{ name: string; parts: unknown[]; figures: Partial<SeenFigures> }>('readings').cases) {
    test(name, () => {
      const read = untouched();
      const see = readingInto(read);
      for (const part of parts) see(part);
      assertFigures(read, figures);
    });
  }
});

interface BodyCase {
  readonly name: string;
  readonly text?: string;
  readonly hex?: string;
  readonly figures: Partial<SeenFigures> | null;
}

describe('bodies that the host reads itself', () => {
  for (const { name, text = '', hex, figures } of kit<BodyCase>('bodies').cases) {
    const bytes = hex === undefined ? Buffer.from(text) : Buffer.from(hex, 'hex');
    for (const size of [bytes.length || 1, 1, 7]) {
      test(`${name}, ${size} bytes at a time`, () => {
        const read = untouched();
        const body = readingBody(readingInto(read));
        for (let from = 0; from < bytes.length; from += size) body.add(bytes.subarray(from, from + size));
        assert.equal(body.finish(), figures !== null);
        if (figures) assertFigures(read, figures);
      });
    }
  }
});

test('heads of responses', () => {
  for (const { status, headers, figures } of kit<{ status: number; headers: object; figures: Partial<SeenFigures> }>('heads').cases) {
    const read = untouched();
    readHead({ status, headers }, read);
    assertFigures(read, figures);
  }
});

interface ConnectionCase {
  readonly name: string;
  readonly url: string;
  readonly steps: readonly ({ readonly send: unknown } | { readonly receive: unknown })[];
  readonly end: 'closed' | 'lost';
  readonly calls: readonly Partial<SeenFigures>[];
}

/** A connection as the SDK's clients are to the tap: events, `send`, `close` and a socket. */
function scriptedConnection(url: string) {
  const socket = Object.assign(new EventEmitter(), { readyState: 1, close: () => {} });
  return Object.assign(new EventEmitter(), { url: new URL(url), socket, send: (_event: unknown) => {}, close: () => socket.emit('close') });
}

describe('responses of a connection', () => {
  for (const { name, url, steps, end, calls } of kit<ConnectionCase>('connections').cases) {
    test(name, () => {
      const connection = scriptedConnection(url);
      const seen: SeenFigures[] = [];
      assert.equal(observe(connection, (figures) => { seen.push(figures); }), true);
      for (const step of steps) {
        if ('send' in step) connection.send(step.send);
        else connection.emit('event', step.receive);
      }
      if (end === 'closed') connection.close();
      else connection.socket.emit('close');
      assert.equal(seen.length, calls.length);
      for (const [place, expected] of calls.entries()) assertFigures(seen[place]!, expected);
      assert.doesNotMatch(JSON.stringify(seen), /CANARY/);
    });
  }
});

test('lines of events, byte for byte', () => {
  const { seen: base, tag, nowMs, uuid, cases } = kit<{ name: string; seen: Partial<SeenCall>; line: string | null },
    { seen: SeenCall; tag: string; nowMs: number; uuid: string }>('events');
  for (const { name, seen, line } of cases) assert.equal(eventJson({ ...base, ...seen }, { tag, nowMs, uuid: () => uuid }), line, name);
});

test('settings', () => {
  for (const { name, options, environment, settings } of kit<{ name: string; options: TapOptions; environment: Record<string, string>;
    settings: object }>('settings').cases) {
    assert.deepEqual(tapSettingsOf(options, (variable) => environment[variable]), settings, name);
  }
});

interface AnswerStep {
  readonly status: number;
  readonly code: string | null;
}
interface Step {
  readonly add?: number;
  readonly pass?: number;
  readonly answer?: AnswerStep;
  readonly end?: readonly AnswerStep[];
}

describe('the reporter', () => {
  const lines = Object.fromEntries(kit<{ name: string; line: string }>('notices').cases.map(({ name, line }) => [name, line]));
  for (const { name, steps, posts, lines: printed } of kit<{ name: string; steps: Step[]; posts: number[][]; lines: string[] }>('reporter').cases) {
    test(name, async () => {
      const environment = new ManualEnvironment();
      const reporter = createReporter(environment);
      const startedAt = environment.nowMs;
      let made = 0;
      const ended: number[][] = [];
      const range = (body: string): [number, number] => {
        const { events } = JSON.parse(body) as { events: number[] };
        return [events[0]!, events.at(-1)!];
      };
      for (const { add, pass, answer, end } of steps) {
        for (let left = add ?? 0; left > 0; left -= 1) reporter.add(String(made += 1));
        if (pass !== undefined) await environment.pass(pass);
        if (answer) await environment.posts.at(-1)!.answer(answer.status, answer.code ?? undefined);
        if (!end) continue;
        environment.blockingAnswers = end.map(({ status, code }) => ({ status, closed: code === 'baseline_closed' }));
        let atMs = environment.nowMs - startedAt;
        reporter.flushBlocking(0);
        for (const { body, attempt, next } of environment.blocked) {
          ended.push([atMs, ...range(body)]);
          if (next === 'again') atMs += [200, 800][attempt]!;
        }
      }
      assert.deepEqual([...environment.posts.map(({ atMs, body }) => [atMs - startedAt, ...range(body)]), ...ended], posts);
      assert.deepEqual(environment.printed, printed.map((line) => lines[line]));
    });
  }
});
