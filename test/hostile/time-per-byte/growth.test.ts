/** The measure itself: it finds what is not linear, and lets pass what is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthOf } from './growth.ts';

const zeros = (bytes: number): string => `${'0'.repeat(bytes)}1`;

test('an expression that begins again at every character is found', async () => {
  assert.equal((await growthOf((bytes) => zeros(bytes).replace(/0+$/, ''), 65_536)).linear, false);
});

test('a list that is looked through for each of its entries is found', async () => {
  const growth = await growthOf((bytes) => {
    const found: string[] = [];
    for (let at = 0; at < bytes; at += 4) if (!found.includes(String(at))) found.push(String(at));
  }, 32_768);
  assert.equal(growth.linear, false);
});

test('a text that is read once, however slowly, is not', async () => {
  const { linear, longMs } = await growthOf((bytes) => {
    let sum = 0n;
    for (const character of zeros(bytes)) for (let turn = 0; turn < 40; turn += 1) sum += BigInt(character);
    return sum;
  }, 65_536);
  assert.ok(linear && longMs > 40, `${longMs} ms`);
});
