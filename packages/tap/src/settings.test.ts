/**
 * Options and environment → settings (spec, Tap client wrapper 5 to 7).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultEndpoint, tapSettingsOf, type TapOptions } from './settings.ts';

const settings = (options: TapOptions | undefined, environment: Record<string, string> = {}): ReturnType<typeof tapSettingsOf> =>
  tapSettingsOf(options, (name) => environment[name]);

test('nothing configured: no key, the endpoint of a product on this machine, no inspect mode', () => {
  assert.deepEqual(settings(undefined), { key: null, endpoint: 'http://127.0.0.1:8081/tap/v1/events', inspecting: false });
});

test('an option overrides its variable; an empty one, or one of another type, counts as not given', () => {
  const environment = { SVC_TAP_KEY: 'from-environment', SVC_TAP_ENDPOINT: 'https://environment.example/tap' };
  const given = { key: 'k', endpoint: 'https://o.example/' };
  assert.deepEqual(settings(given, environment), { ...given, inspecting: false });
  const notGiven = { key: 'from-environment', endpoint: 'https://environment.example/tap', inspecting: false };
  assert.deepEqual(settings({ key: '', endpoint: ' ' }, environment), notGiven);
  assert.deepEqual(settings({ key: 7, endpoint: null, inspect: 'true' } as unknown as TapOptions, environment), notGiven);
});

test('inspect mode is on for 1, true, yes and on, in any case and with surrounding spaces, and for nothing else', () => {
  for (const on of ['1', 'true', 'yes', 'on', ' TRUE ', 'Yes', '\tOn\n']) assert.equal(settings({}, { SVC_TAP_INSPECT: on }).inspecting, true, on);
  for (const off of ['', '0', 'false', 'no', 'off', '11', 'y', 't', 'true!', 'on on']) {
    assert.equal(settings({}, { SVC_TAP_INSPECT: off }).inspecting, false, off);
  }
});

test('a boolean option wins over the environment both ways', () => {
  assert.equal(settings({ inspect: false }, { SVC_TAP_INSPECT: '1' }).inspecting, false);
  assert.equal(settings({ inspect: true }, { SVC_TAP_INSPECT: '0' }).inspecting, true);
});

test('a key that cannot be a header counts as none; surrounding spaces are not part of a key', () => {
  assert.equal(settings({ key: ' svc_tap_1\n' }).key, 'svc_tap_1');
  for (const key of ['a b', 'a\u0000b', 'clé', 'a\r\nx: y']) assert.equal(settings({ key }).key, null);
});

test('an unusable endpoint is null', () => {
  const usable = [defaultEndpoint, 'https://m.example', 'http://[::1]:8081/tap/v1/events', 'HTTPS://m.example/x?y=1'];
  for (const endpoint of usable) assert.equal(settings({ endpoint }).endpoint, endpoint);
  for (const endpoint of ['localhost:8081/tap', 'ftp://m.example/', 'https://', 'https://u:p@m.example/', 'http://a b/', '/tap/v1/events']) {
    assert.equal(settings({ endpoint }).endpoint, null, endpoint);
  }
});
