/** Run headers: the forms at their edges, hostile figures, precedence, duplicates (spec: Run, Errors 400). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { nanoDollarsMax } from '../money.ts';
import { runDeclarationOf, ttlSecondsMax, type RunDeclaration } from './declaration.ts';

const invalid = (kind: string) => ({ kind });
const declared = (...pairs: string[]): RunDeclaration => {
  const declaration = runDeclarationOf(['x-svc-run-id', 'r', ...pairs]);
  assert.ok(declaration !== null && !('kind' in declaration), `refused: ${JSON.stringify(pairs)}`);
  return declaration;
};

describe('x-svc-run-id: 1 to 128 visible ASCII characters (spec: Run)', () => {
  for (const id of ['a', '!', '~', 'x'.repeat(128), '__proto__', 'a,b', '"\\']) {
    it(`${JSON.stringify(id.slice(0, 12))} of ${id.length} is an id`, () => {
      assert.deepEqual(runDeclarationOf(['x-svc-run-id', id]), { id, budget: null, ttlSeconds: null, grant: null });
    });
  }
  for (const id of ['', 'x'.repeat(129), 'a b', 'a\tb', '\x00', 'a\x7f', '\xff', 'a\n', '１']) {
    it(`${JSON.stringify(id.slice(0, 12))} of ${id.length} is none`, () => {
      assert.deepEqual(runDeclarationOf(['x-svc-run-id', id]), invalid('run_id_invalid'));
    });
  }
  it('is matched in any letter case of the name', () => assert.equal(declared('X-Svc-Run-BUDGET', '5').budget, 5_000_000_000n));
});

describe('any other x-svc-run-* header requires the id (spec: Errors 400)', () => {
  for (const name of ['x-svc-run-budget', 'x-svc-run-ttl', 'x-svc-run-grant', 'x-svc-run-colour', 'X-SVC-RUN-', 'x-svc-run-ids']) {
    it(`${name} alone is refused`, () => assert.deepEqual(runDeclarationOf([name, '5']), invalid('run_id_invalid')));
  }
  it('an unknown one beside an id changes nothing', () => assert.equal(declared('x-svc-run-colour', 'red').id, 'r'));
  for (const name of ['x-svc-run', 'x-svc-running', 'x-svc-tags', 'x-svcrun-id', 'anthropic-version', 'x-request-id', '']) {
    it(`${name || 'an empty name'} is no run header`, () => assert.equal(runDeclarationOf([name, '5']), null));
  }
  it('no header at all is no run', () => assert.equal(runDeclarationOf([]), null));
});

describe('x-svc-run-budget: a positive decimal with at most six places (spec: Run)', () => {
  const figures: [string, bigint][] = [
    ['5', 5_000_000_000n], ['5.00', 5_000_000_000n], ['0.000001', 1_000n], ['0005.5', 5_500_000_000n], ['123456.654321', 123_456_654_321_000n],
    ['9223372036.854775', 9_223_372_036_854_775_000n], ['9223372036.854776', nanoDollarsMax], ['9999999999', nanoDollarsMax],
    ['10000000000', nanoDollarsMax], ['9'.repeat(400), nanoDollarsMax], [`${'9'.repeat(400)}.999999`, nanoDollarsMax],
    [`${'0'.repeat(400)}1`, 1_000_000_000n], ['9'.repeat(16_000), nanoDollarsMax],
  ];
  for (const [text, amount] of figures) {
    it(`${text.slice(0, 24)} of ${text.length} is ${amount} nano-dollars`, () => assert.equal(declared('x-svc-run-budget', text).budget, amount));
  }
  const none = [
    '', '0', '0.0', '0.000000', '0'.repeat(400), '-1', '+5', '1e3', '.5', '5.', '1,0', '0x1', '\u0665', '５', 'NaN', 'Infinity', '5.0000001',
    ' 5', '5 ', '5\n', '5\x00', '1_0', '5.0.0', '$5',
  ];
  for (const text of none) {
    it(`${JSON.stringify(text.slice(0, 12))} of ${text.length} is refused`, () => {
      assert.deepEqual(runDeclarationOf(['x-svc-run-id', 'r', 'x-svc-run-budget', text]), invalid('run_budget_invalid'));
    });
  }
  it('reads every figure that 64 bits hold exactly', () => {
    fc.assert(fc.property(fc.bigInt({ min: 1n, max: nanoDollarsMax / 1000n }), fc.nat(30), (micros, zeros) => {
      const text = micros.toString().padStart(7, '0');
      const figure = `${'0'.repeat(zeros)}${text.slice(0, -6)}.${text.slice(-6)}`;
      assert.equal(declared('x-svc-run-budget', figure).budget, micros * 1000n);
    }));
  });
});

describe('x-svc-run-ttl: positive whole seconds (spec: Run)', () => {
  const limits: [string, number][] = [
    ['1', 1], ['007', 7], ['3600', 3600], ['2147484', 2_147_484], ['8640000000000', ttlSecondsMax], ['8640000000001', ttlSecondsMax],
    ['99999999999999', ttlSecondsMax], ['9'.repeat(400), ttlSecondsMax],
  ];
  for (const [text, seconds] of limits) {
    it(`${text.slice(0, 20)} of ${text.length} is ${seconds} s`, () => assert.equal(declared('x-svc-run-ttl', text).ttlSeconds, seconds));
  }
  for (const text of ['', '0', '000', '-1', '1.5', '1e3', '+1', '１', ' 1', '1\n', '0x1', 'forever']) {
    it(`${JSON.stringify(text)} is refused`, () => {
      assert.deepEqual(runDeclarationOf(['x-svc-run-id', 'r', 'x-svc-run-ttl', text]), invalid('run_ttl_invalid'));
    });
  }
});

describe('precedence and duplicates (rule 1)', () => {
  it('id before budget before ttl, whatever the order of the lines', () => {
    assert.deepEqual(runDeclarationOf(['x-svc-run-ttl', '0', 'x-svc-run-budget', '0', 'x-svc-run-id', '']), invalid('run_id_invalid'));
    assert.deepEqual(runDeclarationOf(['x-svc-run-ttl', '0', 'x-svc-run-budget', '0', 'x-svc-run-id', 'r']), invalid('run_budget_invalid'));
    assert.deepEqual(runDeclarationOf(['x-svc-run-ttl', '0', 'x-svc-run-budget', '1', 'x-svc-run-id', 'r']), invalid('run_ttl_invalid'));
  });
  for (const [name, value, kind] of [['x-svc-run-id', 'r', 'run_id_invalid'], ['x-svc-run-budget', '5', 'run_budget_invalid'],
    ['x-svc-run-ttl', '5', 'run_ttl_invalid']] as const) {
    it(`${name} twice is refused, even with one value`, () => {
      const once = name === 'x-svc-run-id' ? [] : ['x-svc-run-id', 'r'];
      assert.deepEqual(runDeclarationOf([...once, name, value, name.toUpperCase(), value]), invalid(kind));
    });
  }
  it('two grants are one text with the form of none', () => assert.equal(declared('x-svc-run-grant', 'a', 'x-svc-run-grant', 'b').grant, 'a, b'));
  it('an empty grant is a grant, and will not verify', () => assert.equal(declared('x-svc-run-grant', '').grant, ''));
});
