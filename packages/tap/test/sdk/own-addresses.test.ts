/**
 * Clients with their default base URLs: whose API each talks to. Rule 27: the provider from the host.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OldestAnthropic from '@anthropic-ai/sdk-oldest';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOldestOpenAI } from '@ai-sdk/openai-oldest';
import { GoogleGenAI } from '@google/genai';
import { GoogleGenAI as OldestGoogleGenAI } from '@google/genai-oldest';
import { Mistral } from '@mistralai/mistralai';
import { Mistral as OldestMistral } from '@mistralai/mistralai-oldest';
import OpenAI, { AzureOpenAI } from 'openai';
import OldestOpenAI from 'openai-oldest';
import { providerOf } from '../../src/observe/provider.ts';

const apiKey = 'k';
const clients: readonly (readonly [string, object, string])[] = [
  ['openai', new OpenAI({ apiKey }), 'openai'],
  ['openai, oldest', new OldestOpenAI({ apiKey }), 'openai'],
  ['openai with a base URL of xAI', new OpenAI({ apiKey, baseURL: 'https://api.x.ai/v1' }), 'xai'],
  ['openai with a base URL of Google', new OpenAI({ apiKey, baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai/' }), 'google'],
  ['openai for Azure', new AzureOpenAI({ apiKey, apiVersion: '2025-01-01', endpoint: 'https://unit.openai.azure.com' }), 'other'],
  ['anthropic', new Anthropic({ apiKey }), 'anthropic'],
  ['anthropic, oldest', new OldestAnthropic({ apiKey }), 'anthropic'],
  ['google', new GoogleGenAI({ apiKey }), 'google'],
  ['google, oldest', new OldestGoogleGenAI({ apiKey }), 'google'],
  ['mistral', new Mistral({ apiKey }), 'mistral'],
  ['mistral, oldest', new OldestMistral({ apiKey }), 'mistral'],
  ['a chat model of the AI SDK', createOpenAI({ apiKey }).chat('m'), 'openai'],
  ['a responses model of the AI SDK, oldest', createOldestOpenAI({ apiKey }).responses('m'), 'openai'],
  ['an embedding model of the AI SDK', createOpenAI({ apiKey }).embedding('m'), 'openai'],
];
for (const [name, client, provider] of clients) {
  test(`${name} talks to ${provider}`, () => {
    assert.equal(providerOf(client), provider);
  });
}
