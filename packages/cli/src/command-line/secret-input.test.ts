/** A credential from standard input: all of it but the last line end, and nothing that is no credential. */
import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { UsageFault } from './command.ts';
import { readSecret } from './secret-input.ts';

/** Standard input as Node makes it: with a descriptor. */
const input = (text: string, fd?: number): NodeJS.ReadStream => Object.assign(Readable.from([Buffer.from(text)]), { isTTY: false, fd }) as never;
const read = (stdin: NodeJS.ReadStream): Promise<string> => readSecret({ stdin, stderr: () => {} }, 'OpenAI key');

test('one line end is left out, and no other character', async () => {
  assert.equal(await read(input('sk-1\r\n')), 'sk-1');
  assert.equal(await read(input(' sk-1\n\n')), ' sk-1\n');
  assert.equal(await read(input('')), '');
});

test('a directory is not read as an empty credential', async () => {
  const fd = openSync(tmpdir(), 'r');
  try {
    await assert.rejects(read(input('', fd)), (error) => error instanceof UsageFault && /is a directory/.test(error.message));
  } finally {
    closeSync(fd);
  }
});
