/** The reading of a copy that was not read to its end. Rules: Journal; rule 8. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsageReader } from '@metergate/core/usage/reader.ts';
import { noTokens, type Reading } from '@metergate/core/usage/reading.ts';
import { withReason } from './guarded-reader.ts';

/** A messages stream of which only the first event was decoded. */
function begun(): Reading {
  const reader = createUsageReader({ wire: 'anthropic', endpoint: 'messages', streamed: true });
  const start = { type: 'message_start', message: { model: 'claude-x', usage: { input_tokens: 40, output_tokens: 6 } } };
  reader.push(Buffer.from(`data: ${JSON.stringify(start)}\n\n`));
  return reader.finish('cut');
}

test('an answer that ended whole and was decoded too late is unknown: the 6 tokens of its first event are not its output', () => {
  assert.equal(begun().usage, 'partial');
  for (const reason of ['decode_late', 'decode_limit', 'decode_failed'] as const) {
    const { usage, usageReason, tokens, model } = withReason(begun(), reason, 'whole');
    assert.deepEqual({ usage, usageReason, tokens, model }, { usage: 'unknown', usageReason: reason, tokens: noTokens, model: 'claude-x' });
  }
});

test('the usage that a cut answer had reported is kept, and marked', () => {
  const { usage, usageReason, tokens } = withReason(begun(), 'decode_late', 'cut');
  assert.deepEqual([usage, usageReason, tokens.input, tokens.output], ['partial', 'decode_late', 40, 6]);
});

test('if the path names no API, an unread answer is unknown: only a read answer can be known to cost nothing', () => {
  const reading = (): Reading => createUsageReader({ wire: 'upstream', endpoint: 'other', streamed: false, without: 'none' }).finish('cut');
  assert.equal(reading().usage, 'none');
  for (const ending of ['whole', 'cut'] as const) {
    const { usage, usageReason, tokens } = withReason(reading(), 'decode_late', ending);
    assert.deepEqual([usage, usageReason, tokens], ['unknown', 'decode_late', noTokens]);
  }
});
