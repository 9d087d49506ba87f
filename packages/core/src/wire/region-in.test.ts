/** Regions that addresses and paths name, where prices depend on them. Rule 6b. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { regionIn, regionOfUpstream } from './region-in.ts';

test('an address of the provider\'s names its region; no other address does', () => {
  assert.equal(regionIn('https://eu.api.openai.com', 'api.openai.com'), 'eu');
  for (const url of ['https://api.openai.com', 'https://eu-api.openai.com', 'https://eu.api.openai.com.example']) {
    assert.equal(regionIn(url, 'api.openai.com'), null, url);
  }
});

test('an upstream that was declared to be the first provider has the region of its address', () => {
  const region = (url: string, listedAs: string | null): string | null => regionOfUpstream({ url, listedAs }, '/upstreams/eu/v1/chat/completions');
  assert.equal(region('https://eu.api.openai.com', 'openai'), 'eu');
  for (const [url, listedAs] of [['https://api.openai.com', 'openai'], ['https://eu.api.openai.com', 'azure'], ['https://eu.api.openai.com', null],
    ['https://proxy.example.com', 'openai']] as const) {
    assert.equal(region(url, listedAs), null, url);
  }
});

test('Claude at a place of Google\'s platform has its region, where it costs more there', () => {
  const region = (place: string, model: string, prefix = '/upstreams/vertex'): string | null => regionOfUpstream(
    { url: 'https://aiplatform.googleapis.com', listedAs: null },
    `${prefix}/v1/projects/p/locations/${place}/publishers/anthropic/models/${model}:streamRawPredict`);
  assert.equal(region('us-east5', 'claude-sonnet-4-5@20250929'), 'us-east5');
  assert.equal(region('eu', 'claude-opus-4-6', '/upstream'), 'eu');
  assert.equal(region('us-east5', 'claude-haiku-4-5'), 'us-east5');
  for (const [place, model] of [['global', 'claude-sonnet-4-5'], ['us-east5', 'claude-3-7-sonnet@20250219'], ['us-east5', 'claude-sonnet-4@20250514'],
    ['us-east5', 'claude-opus-4-1@20250805']] as const) {
    assert.equal(region(place, model), null, `${model} in ${place}`);
  }
  assert.equal(regionOfUpstream({ url: 'https://aiplatform.googleapis.com', listedAs: 'google' },
    '/upstreams/vertex/v1/projects/p/locations/us-east5/publishers/google/models/gemini-2.5-pro:generateContent'), null);
});
