/** Framing with two readings is refused: one case a line (rule 3). */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { declaredBodyBytes, framingFaultOf } from './framing.ts';

const faultOf = (headers: string[], rawTarget = '/v1/models', httpMinorVersion = 1, httpMajorVersion = 1) =>
  framingFaultOf({ rawTarget, headers, httpMajorVersion, httpMinorVersion });

test('rule 3: framing with one reading passes', () => {
  assert.equal(faultOf(['Host', 'a.example:8080', 'Content-Length', '10']), null);
  assert.equal(faultOf(['Host', '[::1]:8080', 'Transfer-Encoding', 'Chunked']), null);
  assert.equal(faultOf([], '/v1/models', 0), null);
});

test('rule 3: other versions than 1.0 and 1.1 are refused, whatever else the request says', () => {
  for (const [major, minor] of [[0, 9], [2, 0]] as const) {
    assert.equal(faultOf(['Host', 'a'], '/v1/models', minor, major), 'The request must be HTTP/1.0 or HTTP/1.1.');
  }
});

const refused: [string, string[], string?][] = [
  ['two hosts', ['Host', 'a', 'host', 'a']],
  ['no host', []],
  ['a host that is none', ['Host', 'x/?']],
  ['a host with spaces', ['Host', 'a b']],
  ['an absolute target', ['Host', 'a'], 'http://evil/v1/models'],
  ['a leading zero', ['Host', 'a', 'Content-Length', '010']],
  ['an empty length', ['Host', 'a', 'Content-Length', '']],
  ['a signed length', ['Host', 'a', 'Content-Length', '+1']],
  ['a coding list with a gap', ['Host', 'a', 'Transfer-Encoding', ',chunked']],
  ['two codings', ['Host', 'a', 'Transfer-Encoding', 'gzip, chunked']],
];
for (const [name, headers, target] of refused) {
  test(`rule 3: ${name} is refused`, () => assert.notEqual(faultOf(headers, target), null));
}

test('The declared length: a number, null for chunked, 0 for none', () => {
  assert.equal(declaredBodyBytes(['content-length', '7']), 7);
  assert.equal(declaredBodyBytes(['transfer-encoding', 'chunked']), null);
  assert.equal(declaredBodyBytes(['host', 'a']), 0);
});
