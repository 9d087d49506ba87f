/** Which models a form may be asking for: one plain reading, or none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyModelsOf, createBodyModelReader } from './body-models.ts';

const type = ['Content-Type', 'multipart/form-data; boundary=BB'];
const field = (name: string, value: string, more: string = ''): string =>
  `--BB\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const file = '--BB\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n\0\x01\r\n--B\r\n';
const read = (body: string, headers: readonly string[] = type) => bodyModelsOf(Buffer.from(body, 'latin1'), headers);

test('a plain form names its model, before or behind a file, also twice, and one without says so', () => {
  assert.deepEqual(read(`${field('model', 'whisper-1')}${file}--BB--\r\n`), ['whisper-1']);
  assert.deepEqual(read(`${file}${field('model', 'whisper-1')}--BB--`), ['whisper-1']);
  assert.deepEqual(read(`${field('model', 'a')}${field('model', 'b')}--BB--`), ['a', 'b']);
  assert.deepEqual(read(`${file}--BB--\r\n`), []);
  assert.equal(read(''), 'none');
  const body = Buffer.from(`${file}${field('model', 'whisper-1')}--BB--\r\n`, 'latin1');
  const reader = createBodyModelReader(type);
  const pieces = Array.from(body, (byte) => Buffer.of(byte));
  for (const piece of pieces) reader.push(piece);
  assert.deepEqual(reader.result(pieces), ['whisper-1']);
});

test('what real clients write is read: undici, which writes as browsers do', async () => {
  const form = new FormData();
  form.set('model', 'gpt-image-1');
  form.set('image', new File(['--BB'], 'größe "1".png', { type: 'image/png' }));
  const request = new Request('http://gateway/', { method: 'POST', body: form });
  assert.deepEqual(bodyModelsOf(Buffer.from(await request.arrayBuffer()), ['content-type', request.headers.get('content-type')!]), ['gpt-image-1']);
});

test('a form with another reading is unread', () => {
  const good = field('model', 'a');
  const wrong: readonly string[] = [
    `${good}${field('Model', 'b')}--BB--`, `${good}${field('mod%65l', 'b')}--BB--`, `${good}${field('model[]', 'b')}--BB--`,
    `${good}${field(' model', 'b')}--BB--`, `${good}${field('mod\\el', 'b')}--BB--`, `${good}${field('models', 'b')}--BB--`,
    `${good}${field('model', 'b', '; filename="b"')}--BB--`, `${good}${field('x"; name="model', 'b')}--BB--`,
    // Lines that end in a line feed alone, text before the first boundary and behind the last, a boundary inside a line.
    `${good}--BB\r\nContent-Disposition: form-data; name="x"\r\n\r\n\n--BB\nContent-Disposition: form-data; name="model"\n\nb\r\n--BB--`,
    `{"model":"b"}\r\n${good}--BB--`, `${good}--BB--\r\n${field('model', 'b')}--BB--`, `${good}${field('x', 'y--BBz')}--BB--`, good,
    `${good}--BB \r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n--BB--`,
    `--BB\r\nContent-Disposition: form-data; name="x"\r\nContent-Disposition: form-data; name="model"\r\n\r\nb\r\n--BB--`,
    `--BB\r\nContent-Disposition: form-data;\r\n name="model"\r\n\r\nb\r\n--BB--`, `--BB\r\nX: 1\r\n\r\nb\r\n--BB--`,
    `--BB\r\nContent-Disposition: form-data; name="model"\r\nContent-Transfer-Encoding: base64\r\n\r\nYg==\r\n--BB--`,
    `--BB\r\nContent-Disposition: form-data; name="model"\r\nContent-Type: text/plain; charset=utf-16\r\n\r\nb\r\n--BB--`,
    `--BB\r\nContent-Disposition: form-data; name=model\r\n\r\nb\r\n--BB--`, `--BB\r\nno head`, '--BB--x', field('model', '\xff') + '--BB--',
  ];
  for (const body of wrong) assert.equal(read(body), 'unread', body);
  const form = `${good}--BB--`;
  assert.equal(read(form, ['content-type', 'multipart/form-data; boundary=BB; boundary=CC']), 'unread');
  assert.equal(read(form, [...type, 'content-type', 'multipart/form-data; boundary=CC']), 'unread');
  assert.equal(read(form, ['content-type', 'multipart/mixed; boundary=BB']), 'unread');
  assert.equal(read(form, ['content-type', 'application/json']), 'unread');
  assert.equal(read('{"model":"a"}', type), 'unread');
});
