/** A sentence about a typed word shows the word, but never a possible secret in the wrong place. Promise 6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArgsDef } from 'citty';
import { asListed, checkArguments, printable } from './check-arguments.ts';
import { UsageFault } from './command.ts';
import { givenDollars, givenDurationMs } from './value-forms.ts';

const secret = 'Q7'.repeat(20);
const secrets = [
  `svc_live_${secret}`, 'svc_tap_0123', 'svc_mgmt_0123', 'sk-ant-0123', 'rbg1.e30.AAAA', secret, `Bearer svc_live_${secret}`, `key=${secret}`,
];

test('words are shown as typed, without what acts on a terminal', () => {
  for (const word of ['1e3', '--paus', 'task-force', 'two words', '2026-02-30T00:00:00+02:00']) assert.equal(printable(word), word);
  assert.equal(printable('a\u001b[2J\u202e'), 'a?[2J?');
});

test('of what may be a secret no sentence shows more than its first four characters', () => {
  const args = { limit: { type: 'string' } } as const;
  for (const text of secrets) {
    const sentences = [
      () => givenDollars('limit', text), () => givenDurationMs('expires', text),
      () => checkArguments('metergate cap set', args, [text]), () => checkArguments('metergate cap set', args, [`--${text}`]),
    ].map((work) => {
      try {
        work();
      } catch (error) {
        return error instanceof UsageFault ? error.message : String(error);
      }
      return 'nothing was refused';
    });
    for (const sentence of sentences) {
      assert.ok(!sentence.includes(text.slice(0, 5)), sentence);
      assert.match(sentence, /must be|does not take|has no option/);
    }
  }
});

test('a listed value is taken in any case, as the specification writes its plans; other values stay as typed', () => {
  const args: ArgsDef = { plan: { type: 'enum', options: ['free', 'scale'] }, name: { type: 'string' }, label: { type: 'positional' } };
  assert.deepEqual(asListed(args, ['Free', '--plan', 'Scale', '--name', 'Scale']), ['Free', '--plan', 'scale', '--name', 'Scale']);
  assert.deepEqual(asListed(args, ['--plan=FREE', '--name=Free']), ['--plan=free', '--name=Free']);
  for (const words of [['--plan'], ['--plan', ''], ['--plan', 'Scaled'], ['--', '--plan', 'Scale'], ['--bogus', 'Free']]) {
    assert.deepEqual(asListed(args, words), words);
  }
});
