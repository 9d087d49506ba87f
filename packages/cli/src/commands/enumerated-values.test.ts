/**
 * A filter or an option with a fixed list of values refuses any other value and names those it takes, over HTTP (400) and on the
 * command line (exit 2) alike. An empty list would claim that nothing was found. One table: every new parameter or option needs a line here
 * that says whether its values are a fixed list.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roles } from '@metergate/core/account/role.ts';
import { webhookEvents } from '@metergate/core/alert/webhook-event.ts';
import { budgetScopes } from '@metergate/core/alert/month-budget.ts';
import { plans } from '@metergate/core/rate/plan.ts';
import { callOutcomes } from '@metergate/core/record/call-record.ts';
import { costLacks } from '@metergate/core/report/call-search.ts';
import { capScopes } from '@metergate/core/spend/cap.ts';
import { calendarWindows } from '@metergate/core/spend/window.ts';
import { wrongBaseUrlRules } from '@metergate/core/call/wrong-base-url.ts';
import { upstreamDialects } from '@metergate/core/usage/dialect-names.ts';
import { upstreamAuths } from '@metergate/core/wire/upstream-auth.ts';
import { unmeteredRules } from '@metergate/core/usage/unmetered.ts';
import { usageStates } from '@metergate/core/usage/reading.ts';
import { endpoints, providers, wireNames } from '@metergate/core/wire/wire.ts';
import { operations } from '@metergate/platform/http/app.ts';
import { platformOfFile, type PlatformFixture, type TestOrganization } from '@metergate/platform/http/test-support/platform-fixture.ts';
import { usageOrders } from '@metergate/platform/use-cases/top-usage.ts';
import { askedDimensions } from '@metergate/platform/use-cases/usage.ts';
import { exportFormats } from '@metergate/platform/use-cases/exports.ts';
import { auditActions } from '@metergate/store/engine/change.ts';
import type { ArgsDef, CommandDef } from 'citty';
import { runProgram } from '../command-line/run.ts';
import { program } from '../program.ts';

/** By the name of the parameter or option, for every operation or command that has it. */
const known: Readonly<Record<string, readonly string[]>> = {
  wire: wireNames, endpoint: endpoints, outcome: callOutcomes, usage: usageStates, lacks: costLacks, by: askedDimensions, action: auditActions,
  adjusted: ['true', 'false'], prices: ['list', 'current'], format: exportFormats, scope: capScopes, window: calendarWindows,
  auth: upstreamAuths, dialect: upstreamDialects, unmetered: unmeteredRules, 'wrong-base-url': wrongBaseUrlRules,
  plan: plans, 'enforce-key-caps': ['on', 'off'], follow: ['on', 'off'], role: roles, provider: providers, events: webhookEvents,
  status: ['429', '4xx', 'error'], order: usageOrders, largestBy: usageOrders, total: ['true', 'false'], bom: ['true', 'false'],
  decimalComma: ['true', 'false'],
};
/** What a list of that name has here: statements are not by the dimensions of usage, its files not in the formats of exports. */
const ofOthers: Readonly<Record<string, readonly string[]>> = {
  'budget set --scope': budgetScopes, 'showStatementRows ?by=': ['project', 'model', 'key'], 'downloadUsage ?format=': ['csv', 'json'],
};
const valuesOf = (name: string, where: string): readonly string[] =>
  ofOthers[where] ?? (name === 'by' && /statement/i.test(where) ? ['team'] : known[name]!);
/** Names, ids, times, amounts and files: their values are not a fixed list. */
const free = new Set([
  'limit', 'cursor', 'key', 'project', 'since', 'until', 'label', 'model', 'models', 'run', 'session', 'connection',
  'month', 'from', 'to', 'subject', 'name', 'org', 'id', 'drain',
  'max-run-budget', 'run-ceiling', 'run-exposure', 'fallback-price', 'requests-per-minute', 'tokens-per-minute', 'keep-records', 'expires', 'grace',
  'file', 'cap', 'at', 'url', 'max', 'usd', 'out', 'public-key', 'call', 'organizations', 'keys', 'calls', 'secrets', 'email', 'for',
  'upstream',
  'version', 'request', 'code', 'own-keys', 'only', 'without', 'csv', 'team', 'top', 'largest', 'amount', 'person', 'wait', 'text', 'date',
]);
/** Of options that others share a name with. */
const freeHere = new Set(['upstream declare --provider']);
/** A price file may have any name: a missing one is not wrong usage, and its sentence names the words too. */
const exitCodes: Readonly<Record<string, number>> = { prices: 1 };

let platform: PlatformFixture;
let acme: TestOrganization;
platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme');
});

function assertNames(sentence: string, name: string, values: readonly string[], where: string): void {
  for (const word of [name, ...values]) assert.ok(sentence.includes(word), `${where} does not name ${word}: ${sentence}`);
  assert.ok(!sentence.includes('zz'), sentence);
}

/** What operations need besides, so that only one value is wrong. */
const needed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  exportCalls: { from: '7d', to: 'today' }, downloadUsage: { format: 'csv' }, tryCap: { scope: 'organization', window: 'day', limit: '1' },
  showStatementRows: { month: '2026-01' },
};

test('over HTTP an unknown value is 400, with the name of the parameter and the valid values', async () => {
  const asked = new Set<string>();
  for (const each of operations) {
    for (const name of Object.keys(each.query?.def.shape ?? {})) {
      const where = `${each.id} ?${name}=`;
      assert.ok(free.has(name) !== name in known, `${where}: say in this test whether its values are known`);
      if (!(name in known)) continue;
      asked.add(name);
      const query = new URLSearchParams({ ...needed[each.id], [name]: 'zz' });
      const { status, body } = await platform.ask(`/platform/v1${each.path.replace('{month}', '2026-01')}?${query}`, {
        method: each.method.toUpperCase(), token: acme.tokens.owner, ...(each.body === undefined ? {} : { body: { prices: [] } }),
      });
      const { code, message } = body['error'] as { readonly code: string; readonly message: string };
      assert.deepEqual([status, code], [400, 'invalid_input'], where);
      assertNames(message, name, valuesOf(name, where), where);
    }
  }
  for (const name of ['wire', 'endpoint', 'outcome', 'usage', 'lacks', 'by', 'action', 'format', 'scope', 'window']) assert.ok(asked.has(name), name);
});

test('a provider in a path is one of those that are known, too', async () => {
  const { status, body } = await platform.ask('/platform/v1/providers/zz', { method: 'DELETE', token: acme.tokens.owner });
  assert.equal(status, 400);
  assertNames((body['error'] as { readonly message: string }).message, 'provider', providers, 'DELETE /providers/zz');
});

/** Every command with its words and arguments. */
async function* commands(): AsyncGenerator<readonly [words: readonly string[], args: ArgsDef]> {
  const within = function* (words: readonly string[], { args, subCommands }: CommandDef): Generator<readonly [readonly string[], ArgsDef]> {
    for (const [word, inner] of Object.entries(subCommands ?? {})) yield* within([...words, word], inner as CommandDef);
    if (subCommands === undefined) yield [words, args as ArgsDef];
  };
  for (const [word, load] of Object.entries(program.commands)) yield* within([word], await load());
}

test('on the command line it is exit 2, with the name of the option and the values', async () => {
  const asked = new Set<string>();
  for await (const [words, args] of commands()) {
    for (const [name, { type }] of Object.entries(args)) {
      const where = `${words.join(' ')} --${name}`;
      if (type === 'boolean' || freeHere.has(where)) continue;
      assert.ok(free.has(name) !== name in known, `${where}: say in this test whether its values are known`);
      if (!(name in known)) continue;
      asked.add(name);
      const given = Object.entries(args).filter(([each, { required }]) => required === true || each === name)
        .map(([each, definition]) => ({ each, positional: definition.type === 'positional', value: valueOf(each, name) }));
      const line = given.flatMap(({ each, positional, value }) => (positional ? [value] : [`--${each}`, value]));
      const { exitCode, stderr } = await say([...words, ...line]);
      assert.equal(exitCode, exitCodes[name] ?? 2, `${where}: ${stderr}`);
      assertNames(stderr.replace(/ (?:not|file) \S*zz\S*/, ''), name, valuesOf(name, where), where);
    }
  }
  const overHttp = ['action', 'adjusted', 'bom', 'decimalComma', 'largestBy', 'order', 'total'];
  for (const name of Object.keys(known)) assert.ok(asked.has(name) || overHttp.includes(name), name);
});

function valueOf(name: string, wrong: string): string {
  return name === wrong ? 'zz' : known[name]?.[0] ?? (name === 'limit' ? '1' : 'x');
}

/** Settings are bad, so that whatever reads them ends with 1. */
async function say(args: readonly string[]): Promise<{ readonly exitCode: number; readonly stderr: string }> {
  let stderr = '';
  const { exitCode } = await runProgram(program, args, {
    env: { SVC_HOST: 'not a host' }, cwd: '/', stdin: process.stdin, isTerminal: false, nowMs: () => 0, randomBytes: (n) => new Uint8Array(n),
    stdout: () => {}, stderr: (text) => { stderr += text; },
  });
  return { exitCode, stderr };
}
