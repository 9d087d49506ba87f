/** The provider follows from the host of a client's base URL, wherever the client keeps it. Rule 27. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { providerOf } from './provider.ts';

const clients: readonly (readonly [unknown, string])[] = [
  [{ baseURL: 'https://api.openai.com/v1' }, 'openai'],
  [{ baseURL: 'https://eu.api.openai.com/v1' }, 'openai'],
  [{ baseURL: 'https://api.x.ai/v1' }, 'xai'],
  [{ baseURL: 'https://api.anthropic.com' }, 'anthropic'],
  [{ _baseURL: new URL('https://api.mistral.ai/') }, 'mistral'],
  [{ apiClient: { clientOptions: { httpOptions: { baseUrl: 'https://generativelanguage.googleapis.com/' } } } }, 'google'],
  [{ config: { baseURL: 'https://api.anthropic.com/v1' } }, 'anthropic'],
  [{ modelId: 'm', config: { url: ({ path }: { path: string }) => `https://api.openai.com/v1${path}` } }, 'openai'],
  [{ baseURL: 'https://api.openai.com.example.org/v1' }, 'other'],
  [{ baseURL: 'https://notapi.openai.com/v1' }, 'other'],
  [{ baseURL: 'https://example.org/api.openai.com' }, 'other'],
  [{ baseURL: 'http://localhost:8080/v1' }, 'other'],
  [{ baseURL: 'no url' }, 'other'],
  [{ get apiClient() { throw new Error('mine'); } }, 'other'],
  [{}, 'other'],
  [null, 'other'],
];
for (const [client, expected] of clients) {
  test(`${inspect(client, { breakLength: 200 })} talks to ${expected}`, () => {
    assert.equal(providerOf(client), expected);
  });
}
