/**
 * Organizations for the tests of limits: made and changed through the use cases that the command and the platform's HTTP run,
 * on the store of the running product, so that a test may set many caps in a moment. A token of the model `metered` costs
 * one dollar there, so that money is counted in tokens.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before } from 'node:test';
import { standAtNoon } from '@metergate/testkit/clock.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { openExistingStore } from 'metergate/command-line/open-store.ts';
import { readConfig } from 'metergate/config/read-config.ts';
import { setCap, listCaps, removeCap, type CapInput, type ShownCap } from '@metergate/platform/use-cases/caps.ts';
import type { UseCaseContext } from '@metergate/platform/use-cases/context.ts';
import { createOrganization, setOrganization, type OrganizationSettingsInput } from '@metergate/platform/use-cases/organizations.ts';
import { connectProvider } from '@metergate/platform/use-cases/providers.ts';
import { isRefusal, type AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { createServiceKey } from '@metergate/platform/use-cases/service-keys.ts';
import { keptForFiles, type Kept } from '@metergate/testkit/kept-for-files.ts';
import { headerValue, headerValues, type HeaderPair } from '@metergate/testkit/http-message.ts';
import { despiteLateStore } from '@metergate/testkit/late-store.ts';
import { rawCall, type RawAnswer } from '@metergate/testkit/raw-client.ts';
import type { ReceivedRequest, ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import { providerKeys, startSystem, type System, type SystemOptions } from '@metergate/testkit/system.ts';
import type { Store } from '@metergate/store/store.ts';
import { bearer } from '../running-product.ts';

// Caps count the calls of a day or a month.
standAtNoon();

/** A call of `tokens` tokens, and therefore of as many dollars. */
export function metered(tokens: number): string {
  return JSON.stringify({ model: 'metered', tokens });
}

/** The provider's answer: it reports the tokens that the request asked for. */
export function meteredAnswer({ body }: ReceivedRequest): ScriptedAnswer {
  const { tokens } = JSON.parse(body.toString()) as { tokens: number };
  return {
    headers: [['content-type', 'application/json']],
    body: JSON.stringify({ model: 'metered', choices: [], usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens } }),
  };
}

export interface CallOptions {
  readonly key?: string;
  readonly headers?: readonly HeaderPair[];
  readonly target?: string;
  readonly method?: string;
}

/** One organization with a key, a connected provider and the price of a dollar a token. */
export class Tenant {
  readonly product: Product;
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
  /** Number of calls that were answered with 200: each has a record. */
  answered = 0;

  constructor(product: Product, id: string, key: { readonly id: string; readonly key: string }) {
    this.product = product;
    this.id = id;
    this.key = key.key;
    this.keyId = key.id;
  }

  /** A chat call that costs that many dollars; a text is sent as it is. One to which a busy machine's store was late is sent again. */
  async call(body: number | string = 0, options: CallOptions = {}): Promise<RawAnswer> {
    const { key = this.key, headers = [], target = '/v1/chat/completions', method = 'POST' } = options;
    const sent = {
      method, target, headers: [bearer(key), ...headers], ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : metered(body) }),
    };
    const answer = await despiteLateStore(() => rawCall(this.product.system.gatewayUrl, sent),
      ({ status, body: said }) => status === 503 && said.includes('budget_unverifiable'));
    if (answer.status === 200) this.answered += 1;
    return answer;
  }

  newKey(wanted: { readonly maxRunBudget?: string; readonly project?: string } = {}): Promise<{ id: string; key: string }> {
    return granted(createServiceKey(this.product.context(), { organization: this.id, ...wanted }));
  }

  async set(settings: OrganizationSettingsInput): Promise<void> {
    await granted(setOrganization(this.product.context(), this.id, settings));
  }

  async cap(cap: Omit<CapInput, 'organization'>): Promise<string> {
    return (await granted(setCap(this.product.context(), { organization: this.id, ...cap }))).id;
  }

  async removeCap(id: string): Promise<void> {
    await granted(removeCap(this.product.context(), id));
  }

  caps(): Promise<ShownCap[]> {
    return granted(listCaps(this.product.context(), this.id));
  }

  /** Calls until the answer is as wanted: a changed setting takes effect within a second. The calls cost nothing. `sentMs`: when it was sent. */
  async until(wanted: (answer: RawAnswer, sentMs: number) => boolean, options: CallOptions = {}): Promise<RawAnswer> {
    let last = '';
    return eventually(async () => {
      const sentMs = performance.now();
      const answer = await this.call(0, options);
      last = `${answer.head}${answer.body}`;
      return wanted(answer, sentMs) && answer;
    }, () => `not in force: ${last}`);
  }
}

/** The running product and the store it runs on. */
export interface Product {
  system: System;
  store: Store;
  context(): UseCaseContext;
  tenant(settings?: OrganizationSettingsInput): Promise<Tenant>;
}

/** No two organizations of a product have one name, whichever file made them. */
let tenants = 0;

/** Starts the product before the file's tests, with providers that answer as asked, and stops it after them. */
export function productForFile(options: SystemOptions = {}): Product {
  return productFrom(async () => {
    const value = { system: await startSystem({ publishedLimits: true, ...options }) };
    return { value, done: () => end(value) };
  });
}

/**
 * The product that files of one process use one after another. For a file that leaves no work behind that is settled later, and reads only what
 * its own organizations did.
 */
export function sharedProduct(): Product {
  return productFrom(() => keptForFiles('the product', async () => ({ system: await startSystem({ publishedLimits: true }) }), end));
}

async function end({ system }: { readonly system: System }): Promise<void> {
  assert.equal(await system.stop(), 0, system.stderr());
}

function productFrom(get: () => Promise<Kept<{ system: System }>>): Product {
  const product: Product = {
    context: (): UseCaseContext => ({ store: product.store, randomBytes: (n: number) => randomBytes(n), nowMs: Date.now() }),
    async tenant({ plan = 'scale', ...settings }: OrganizationSettingsInput = {}): Promise<Tenant> {
      tenants += 1;
      const context = product.context();
      const { id } = await granted(createOrganization(context, { name: `tenant ${tenants}`, plan }));
      await granted(setOrganization(context, id, { fallbackPrice: { input: '1000000', output: '1000000' }, ...settings }));
      for (const provider of ['openai', 'anthropic'] as const) {
        await granted(connectProvider(context, { organization: id, provider, credential: providerKeys[provider] }));
      }
      return new Tenant(product, id, await granted(createServiceKey(context, { organization: id })));
    },
  } as unknown as Product;
  let running: Kept<{ system: System }>;
  before(async () => {
    running = await get();
    const system = running.value.system = await runningAgain(running.value.system);
    for (const { requests } of [system.openai, system.anthropic, system.upstream]) requests.length = 0;
    for (const provider of [system.anthropic, system.upstream]) provider.respond({ headers: [['content-type', 'application/json']], body: '{}' });
    system.openai.respond(meteredAnswer);
    product.store = await storeOf(system);
    product.system = system;
  });
  after(async () => {
    await product.store?.close();
    if (product.system === undefined) return;
    // A test may have started it again.
    running.value.system = product.system;
    try {
      await product.system.assertAtRest();
    } finally {
      await running.done();
    }
  });
  return product;
}

/** The product, started again if it has ended: a test of the file before may have failed between a kill and the start after it. */
export function runningAgain(system: System): Promise<System> {
  return system.hasEnded ? system.restart() : Promise.resolve(system);
}

/** The store of a running product, opened as a command opens it. */
export async function storeOf({ dataDirectory }: System): Promise<Store> {
  const read = readConfig({ SVC_DATA_DIR: dataDirectory }, '/');
  assert.ok('config' in read);
  return openExistingStore(read.config);
}

async function granted<Value>(result: Promise<Value>): Promise<Exclude<Value, AdministrationRefusal>> {
  const value = await result;
  if (isRefusal(value)) throw new Error(`refused: ${value.refused.message}`);
  return value as Exclude<Value, AdministrationRefusal>;
}

/** The limits' own headers of an answer; null if one is absent. */
export function limitHeaders(answer: RawAnswer): Record<'scope' | 'window' | 'effective' | 'clamp' | 'retryAfter', string | null> {
  const one = (name: string): string | null => {
    assert.ok(headerValues(answer.headers, name).length <= 1, name);
    return headerValue(answer.headers, name) ?? null;
  };
  return {
    scope: one('x-svc-budget-scope'), window: one('x-svc-budget-window'), effective: one('x-svc-run-budget-effective'),
    clamp: one('x-svc-run-clamp-reason'), retryAfter: one('retry-after'),
  };
}

export const noLimitHeaders = { scope: null, window: null, effective: null, clamp: null, retryAfter: null };
