/** Which URLs may be declared as an upstream, and their normalized form. Rule 19. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusedAddresses } from '@metergate/store/network/test-support/refused-hosts.ts';
import { parseUpstreamUrl } from './upstream-url.ts';
import { parseWebhookUrl } from './webhooks/webhook-url.ts';

const kept: readonly (readonly [given: string, allow: readonly string[], url: string])[] = [
  ['https://llm.example.com', [], 'https://llm.example.com'],
  ['https://LLM.Example.com:443/', [], 'https://llm.example.com'],
  ['https://llm.example.com/base/v1/', [], 'https://llm.example.com/base'],
  ['https://llm.example.com/v1', [], 'https://llm.example.com'],
  ['https://llm.example.com/a%2Fb//', [], 'https://llm.example.com/a%2Fb'],
  ['https://llm.example.com:8443/v1beta', [], 'https://llm.example.com:8443/v1beta'],
  ['http://127.0.0.1:9000/v1', ['127.0.0.0/8'], 'http://127.0.0.1:9000'],
  ['http://10.1.2.3', ['10.0.0.0/8'], 'http://10.1.2.3'],
  ['http://[fd00::5]:9000', ['fd00::/8'], 'http://[fd00::5]:9000'],
  ['http://llm.internal:9000', ['10.0.0.0/8'], 'http://llm.internal:9000'],
  ['https://8.8.4.4:9000', [], 'https://8.8.4.4:9000'],
  ['http://10.1.2.3:81', ['10.0.0.0/8'], 'http://10.1.2.3:81'], ['https://10.1.2.3:444', ['10.0.0.0/8'], 'https://10.1.2.3:444'],
  ['https://llm.internal:80', ['10.0.0.0/8'], 'https://llm.internal:80'], ['http://198.18.0.1', ['198.18.0.0/15'], 'http://198.18.0.1'],
];

test('rule 19: a fit URL is kept in one form, without trailing slashes and one trailing /v1', () => {
  for (const [given, allow, url] of kept) assert.deepEqual(parseUpstreamUrl(given, { allow }), { url }, given);
});

const refusedUrls: readonly (readonly [given: string, allow: readonly string[], sentence: RegExp])[] = [
  ['http://llm.example.com', [], /https/], ['http://127.0.0.1:9000', [], /SVC_UPSTREAM_ALLOW/], ['http://127.0.0.1:9000', ['10.0.0.0/8'], /https/],
  ['ftp://llm.example.com', [], /https/], ['llm.example.com', [], /https/], ['https://', [], /host/], ['', [], /https/],
  ['https://user:hunter2@llm.example.com', [], /user name or password/], ['https://llm.example.com?x=1', [], /query/],
  ['https://llm.example.com#', [], /fragment/], ['https://llm.example.com:22', [], /port/], ['https://llm.example.com:80', [], /port/],
  ['https://generativelanguage.googleapis.com/v1beta/openai/', [], /Declare it with a name/],
  ['https://llm.example .com', [], /spaces/], ['https:\\\\llm.example.com', [], /https/], ['https://llm.example.com\\@evil.example', [], /spaces/],
];

test('rule 19: an address literal that the dial refuses is refused when it is declared, whatever list of special blocks names it', () => {
  for (const address of refusedAddresses.filter((each) => !each.includes('%'))) {
    const given = `https://${address.includes(':') ? `[${address}]` : address}`;
    if (!URL.canParse(given)) continue;
    for (const parse of [parseUpstreamUrl, parseWebhookUrl]) {
      const answer = parse(given, { allow: [] });
      assert.ok('refusal' in answer, given);
      assert.match(answer.refusal, /must be public/, given);
    }
  }
  for (const block of ['192.0.2.1', '198.51.100.7', '203.0.113.7', '198.18.0.1', '[2001:db8::1]']) {
    assert.ok('refusal' in parseUpstreamUrl(`https://${block}`, { allow: ['10.0.0.0/8'] }), block);
  }
});

test('a host that no name server can look up is refused, with and without a list of allowed addresses; one dot may end a name', () => {
  const hosts = ['.', '..', 'a..b', '.a', 'a..', 'localhost..', `${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}com`, 'a,b.example', "a'b.example"];
  for (const parse of [parseUpstreamUrl, parseWebhookUrl]) {
    for (const allow of [[], ['10.0.0.0/8']]) {
      for (const host of hosts) {
        const answer = parse(`https://${host}/x`, { allow });
        assert.match('refusal' in answer ? answer.refusal : '', /The host is not a host name/, host);
      }
      for (const host of ['example.com.', 'a_b.example', `${'a'.repeat(63)}.example`, 'xn--bcher-kva.example']) {
        assert.ok('url' in parse(`https://${host}/x`, { allow }), host);
      }
    }
  }
});

test('rule 19: every port of an opened address will do; of others 443 and those from 1024 on', () => {
  for (const [given, allow, taken] of [
    ['https://8.8.4.4:1024', [], true], ['https://8.8.4.4:1023', [], false], ['https://8.8.4.4:1023', ['10.0.0.0/8'], false],
    ['https://8.8.4.4:1023', ['8.8.4.4'], true], ['http://8.8.4.4:80', ['10.0.0.0/8'], false], ['https://llm.example.com:80', [], false],
  ] as const) {
    for (const parse of [parseUpstreamUrl, parseWebhookUrl]) assert.equal('url' in parse(given, { allow }), taken, `${given} ${String(allow)}`);
  }
});

test('rule 19: every other URL is refused in a sentence that repeats nothing of it', () => {
  for (const [given, allow, sentence] of refusedUrls) {
    const answer = parseUpstreamUrl(given, { allow });
    assert.ok('refusal' in answer, given);
    assert.match(answer.refusal, sentence, given);
    assert.doesNotMatch(answer.refusal, /hunter2|evil/);
  }
});
