/** The form of grants: one text each, strict fields, bounded; and what they bind to (spec: Run; rule 15). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import type { OrganizationId } from '../id.ts';
import { nanoDollars } from '../money.ts';
import { fromBase64url, toBase64url } from './base64url.ts';
import { grantBinds, grantLengthMax, grantText, parseGrant, signedGrant, type GrantPayload } from './grant.ts';

const payload: GrantPayload = {
  organization: 'org_0123456789abcdefghij' as OrganizationId, run: 'run/"1\\', max: nanoDollars(12_500_000_000n), expiresAtMs: 1000,
  key: 'gky_1', nonce: 'n0',
};
const signature = Uint8Array.from({ length: 64 }, (_, index) => index * 3);
const grant = signedGrant(grantText(payload), signature);
const json = '{"organization":"org_0123456789abcdefghij","run":"r","max":"1.000000","expires":1000,"key":"k","nonce":"n"}';
const grantOf = (text: string) => signedGrant(`rbg1.${Buffer.from(text).toString('base64url')}`, signature);

describe('base64url', () => {
  it('is that of Node, both ways', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64url');
      assert.equal(toBase64url(bytes), text);
      assert.deepEqual(fromBase64url(text), bytes);
    }));
  });
  for (const text of ['A', 'AAAAA', 'AA==', 'AB', 'AAB', 'A A', 'AA\n', '+/AA', 'ÄA', 'AA.A']) {
    it(`${JSON.stringify(text)} is no spelling of anything`, () => assert.equal(fromBase64url(text), null));
  }
});

describe('the text of a grant', () => {
  it('comes back as it was made', () => {
    assert.deepEqual(parseGrant(grant), { payload, signedText: grant.slice(0, -87), signature });
    assert.ok(grant.startsWith('rbg1.'));
  });
  it('the longest payload stays below the bound', () => {
    const longest = {
      ...payload, run: '"'.repeat(128), max: nanoDollars(9_223_372_036_854_775_000n), expiresAtMs: 8.64e15,
      key: 'k'.repeat(64), nonce: 'n'.repeat(64),
    };
    assert.deepEqual(parseGrant(signedGrant(grantText(longest), signature))?.payload, longest);
  });
  it('has one spelling: any other character at any position changes the signed text or the signature, or makes it invalid', () => {
    for (let at = 0; at < grant.length; at += 1) {
      for (const character of ['A', 'B', '.', '=', ' ', 'é']) {
        if (grant[at] === character) continue;
        const parsed = parseGrant(grant.slice(0, at) + character + grant.slice(at + 1));
        if (parsed === null) continue;
        const same = Buffer.compare(parsed.signature, signature) === 0 && parsed.signedText === grant.slice(0, -87);
        assert.ok(!same, `${character} at ${at}`);
      }
    }
  });
  const none: Record<string, string> = {
    'nothing': '', 'the form alone': 'rbg1.', 'no payload': signedGrant('rbg1.', signature), 'another case': grant.replace('rbg1', 'RBG1'),
    'another version': grant.replace('rbg1', 'rbg2'), 'an extra dot': `${grant}.`, 'a dot more inside': grant.replace('rbg1.', 'rbg1..'),
    'padding': `${grant}==`, 'two grants in one header': `${grant}, ${grant}`, 'a space before': ` ${grant}`,
    'a longer text than any grant': `rbg1.${'A'.repeat(grantLengthMax)}`, 'a mebibyte': 'rbg1.'.padEnd(1024 * 1024, 'A'),
    'a short signature': grant.slice(0, -2), 'no signature': grant.slice(0, -87),
    'no JSON': grantOf('x'), 'null': grantOf('null'), 'a list': grantOf('[]'), 'no fields': grantOf('{}'),
    'a field more': grantOf(json.replace('}', ',"admin":true}')), 'a field less': grantOf(json.replace(',"nonce":"n"', '')),
    'a field twice': grantOf(json.replace('{', '{"run":"r",')),
    'another order': grantOf(json.replace('"key":"k","nonce":"n"', '"nonce":"n","key":"k"')),
    'white space': grantOf(json.replace(':', ': ')), 'an escaped letter': grantOf(json.replace('"r"', '"\\u0072"')),
    'an amount of zero': grantOf(json.replace('1.000000', '0.000000')), 'a negative amount': grantOf(json.replace('1.000000', '-1.000000')),
    'an amount as a number': grantOf(json.replace('"1.000000"', '1')),
    'an amount above 64 bits': grantOf(json.replace('1.000000', '9999999999.000000')),
    'another spelling of the amount': grantOf(json.replace('1.000000', '01.000000')), 'an expiry in text': grantOf(json.replace('1000,', '"1000",')),
    'a fractional expiry': grantOf(json.replace('1000,', '1000.5,')),
    'an expiry beyond the calendar': grantOf(json.replace('1000,', '8640000000000001,')),
    'a run with a space': grantOf(json.replace('"r"', '"r r"')), 'an empty run': grantOf(json.replace('"r"', '""')),
    'bytes beyond ASCII': grantOf(json.replace('"r"', '"é"')), 'a prototype': grantOf(json.replace('"nonce":"n"', '"__proto__":"n"')),
  };
  it('of the plain sample is read', () => assert.notEqual(parseGrant(grantOf(json)), null));
  for (const [name, text] of Object.entries(none)) it(`${name} is none`, () => assert.equal(parseGrant(text), null));

  for (const [name, changes] of Object.entries<Partial<GrantPayload>>({
    'an amount finer than a micro-dollar': { max: nanoDollars(1_000_001n) }, 'no amount': { max: nanoDollars(0n) }, 'no run': { run: '' },
    'a run that is no id': { run: 'é' }, 'an expiry that is no instant': { expiresAtMs: Number.NaN },
  })) it(`${name} is never signed`, () => assert.throws(() => grantText({ ...payload, ...changes }), RangeError));
});

describe('a grant is for one organization and one run, and new runs only before it expires (rule 15)', () => {
  const use = { organization: payload.organization, run: payload.run, nowMs: 999, creating: true };
  const cases: [string, Partial<typeof use>, boolean][] = [
    ['as minted', {}, true], ['at its expiry', { nowMs: 1000 }, false], ['after it, on a run that exists', { nowMs: 5000, creating: false }, true],
    ['another run', { run: 'run/"1' }, false], ['a longer run', { run: `${payload.run}x` }, false],
    ['another run of the same length', { run: 'run/"1/' }, false],
    ['another organization', { organization: 'org_0123456789abcdefghiJ' as OrganizationId }, false],
    ['another run that exists', { run: 'r', creating: false }, false],
    ['a run whose id repeats the granted one', { run: payload.run + payload.run }, false],
  ];
  for (const [name, changes, binds] of cases) {
    it(`${name}: ${binds ? 'binds' : 'does not'}`, () => assert.equal(grantBinds(payload, { ...use, ...changes }), binds));
  }
});
