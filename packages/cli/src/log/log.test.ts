/** One line per event, in both forms, whatever a field contains; nothing below the level. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, logLevels, type LogLevel } from './log.ts';

function saying(format: 'json' | 'text', level: LogLevel = 'debug') {
  const lines: string[] = [];
  return { lines, log: createLog({ format, level, nowMs: () => 0, write: (line) => lines.push(line) }) };
}

test('JSON carries time, level, message and fields', () => {
  const { lines, log } = saying('json');
  log('info', 'Refused.', { code: 'unknown_url', notShown: 0, key: null });
  assert.deepEqual(JSON.parse(lines[0]!),
    { time: '1970-01-01T00:00:00.000Z', level: 'info', message: 'Refused.', code: 'unknown_url', notShown: 0, key: null });
});

test('text stays one line, also if a field holds line breaks, quotes or terminal escapes', () => {
  const { lines, log } = saying('text');
  log('warn', 'A call ended.', { model: 'a\nb', status: 200, path: '\u001b[31m', quoted: 'a"b', none: null });
  assert.equal(lines[0], 'metergate: A call ended. model="a\\nb" status=200 path="\\u001b[31m" quoted="a\\"b"');
});

test('entries below the level are not logged', () => {
  for (const [at, level] of logLevels.entries()) {
    const { lines, log } = saying('text', level);
    for (const each of logLevels) log(each, each);
    assert.deepEqual(lines, logLevels.slice(0, at + 1).map((each) => `metergate: ${each}`));
  }
});
