/** Labels and project at their bounds (rule 31). */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { labelsOf, projectOf } from './labels.ts';

const latin1Of = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

test('Common request elements: labels are split on commas and trimmed, several lines are one list', () => {
  assert.deepEqual(labelsOf(['x-svc-tags', ' a ,b', 'X-SVC-TAGS', 'c,,', 'x-svc-tags', '']), { labels: ['a', 'b', 'c'], labelsDropped: 0 });
});

test('Common request elements: the 33rd label is dropped and counted', () => {
  const line = Array.from({ length: 33 }, (_, at) => `l${at}`).join(',');
  const { labels, labelsDropped } = labelsOf(['x-svc-tags', line]);
  assert.equal(labels.length, 32);
  assert.equal(labels[31], 'l31');
  assert.equal(labelsDropped, 1);
});

test('rule 31: 128 characters are kept, 129 are dropped whole and counted', () => {
  assert.deepEqual(labelsOf(['x-svc-tags', `${'x'.repeat(129)},ok,${'y'.repeat(128)}`]), { labels: ['ok', 'y'.repeat(128)], labelsDropped: 1 });
});

test('Commas alone make no labels', () => {
  assert.deepEqual(labelsOf(['x-svc-tags', ',,, ,']), { labels: [], labelsDropped: 0 });
});

test('Labels sent as UTF-8 are read as such and counted in characters; other bytes stay as they came', () => {
  assert.deepEqual(labelsOf(['x-svc-tags', latin1Of(`🚀 go,${'🚀'.repeat(128)},${'🚀'.repeat(129)}`)]),
    { labels: ['🚀 go', '🚀'.repeat(128)], labelsDropped: 1 });
  assert.deepEqual(labelsOf(['x-svc-tags', 'caf\xe9']).labels, ['caf\xe9']);
});

test('rule 31: the project is the first line, at most 256 characters', () => {
  assert.equal(projectOf(['x-svc-project', ' alpha ', 'x-svc-project', 'beta']), 'alpha');
  assert.equal(projectOf(['x-svc-project', 'p'.repeat(256)]), 'p'.repeat(256));
  assert.equal(projectOf(['x-svc-project', 'p'.repeat(257)]), null);
  assert.equal(projectOf(['x-svc-project', '  ']), null);
  assert.equal(projectOf([]), null);
});
