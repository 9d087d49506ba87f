/** The model that a request asks for, by body and path, whatever the body's pieces. Rule 6d. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { formBoundary } from './form-field.ts';
import { createModelWatch, modelOfPath, requestedModelMax, requestedModelOf } from './requested-model.ts';

/** What is read of a body that comes in pieces of this size. */
function modelIn(body: string | Buffer,
  { type = 'application/json', piece = 1 << 20 }: { readonly type?: string | null; readonly piece?: number } = {}): string | null {
  const watch = createModelWatch(type === null ? [] : ['Content-Type', type]);
  const bytes = Buffer.from(body as string);
  for (let at = 0; at < bytes.length; at += piece) watch.push(bytes.subarray(at, at + piece));
  const model = watch.model();
  watch.release();
  return model;
}

const boundary = 'X-b0undary';
const formType = `multipart/form-data; boundary=${boundary}`;

function form(parts: readonly (readonly [head: string, value: string | Buffer])[], preamble = ''): Buffer {
  return Buffer.concat([
    Buffer.from(preamble),
    ...parts.flatMap(([head, value]) => [Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), Buffer.from(value as string), Buffer.from('\r\n')]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}

const file = ['Content-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav',
  Buffer.alloc(300_000, '\r\n--X-b0undar')] as const;
const modelPart = ['Content-Disposition: form-data; name="model"', 'gpt-4o-transcribe'] as const;

test('a JSON body: `model` at the top level, wherever it stands; the last of two counts, and other depths do not', () => {
  assert.equal(modelIn('{"model":"gpt-4o"}'), 'gpt-4o');
  assert.equal(modelIn('{"input":{"model":"inner"},"list":[{"model":"inner"}],"m\\u006fdel":"\\u0067pt"}'), 'gpt');
  assert.equal(modelIn('{"model":"a","model":"b"}'), 'b');
  assert.equal(modelIn('{"model":"a","model":null}'), null);
  for (const none of ['{"model":7}', '{"model":""}', '{"input":"x"}', '[]', '"model"', '', '\x00\x01',
    `{"model":"${'m'.repeat(requestedModelMax + 1)}"}`]) {
    assert.equal(modelIn(none), null, none.slice(0, 40));
  }
});

test('a JSON body that comes in pieces of any size, before and after much else, and without a content type', () => {
  const long = `{"input":"${'x'.repeat(100_000)}","model":"text-embedding-3-small","more":[${'1,'.repeat(1_000)}1]}`;
  for (const piece of [1, 7, 4_096, 65_536]) assert.equal(modelIn(long, { piece, type: null }), 'text-embedding-3-small');
});

test('a form: the field `model` and no file of that name, before and after a file that looks like boundaries', () => {
  const other = ['Content-Disposition: form-data; name="prompt"', 'model\r\n\r\nx'] as const;
  for (const piece of [1, 3, 1_000, 65_536, 1 << 20]) {
    assert.equal(modelIn(form([file, other, modelPart]), { type: formType, piece }), 'gpt-4o-transcribe', `after, by ${piece}`);
    assert.equal(modelIn(form([modelPart, file], 'a preamble\r\n'), { type: formType, piece }), 'gpt-4o-transcribe', `before, by ${piece}`);
  }
  const asFile = ['Content-Disposition: form-data; name="model"; filename="m"', 'whisper-1'] as const;
  assert.equal(modelIn(form([asFile]), { type: formType }), null);
  assert.equal(modelIn(form([modelPart, [modelPart[0], 'whisper-1']]), { type: formType }), 'whisper-1');
  assert.equal(modelIn(form([[modelPart[0], 'm'.repeat(5_000)]]), { type: formType, piece: 100 }), null);
  assert.equal(modelIn(form([[modelPart[0], '']]), { type: formType }), null);
  assert.equal(modelIn(form([['content-disposition:form-data;NAME=model', 'tts-1']]),
    { type: `Multipart/Form-Data;charset=x; Boundary="${boundary}"` }), 'tts-1');
});

test('a boundary ends a part also before its head has ended', () => {
  const headless = `--${boundary}\r\n${file[0]}${`\r\n--${boundary}`.repeat(1_000)}\r\n`;
  for (const piece of [1, 3, 1_000, 1 << 20]) {
    assert.equal(modelIn(Buffer.concat([Buffer.from(headless), form([modelPart])]), { type: formType, piece }), 'gpt-4o-transcribe', `by ${piece}`);
  }
});

test('a form in pieces of any sizes gives what it gives in one', () => {
  const part = fc.record({ head: fc.constantFrom(modelPart[0], file[0], 'X-Other: 1'),
    value: fc.string({ unit: fc.constantFrom('a', '\r', '\n', '-', boundary), maxLength: 60 }) });
  fc.assert(fc.property(fc.array(part, { maxLength: 4 }), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (parts, sizes) => {
    const body = form(parts.map(({ head, value }) => [head, value]));
    const watch = createModelWatch(['content-type', formType]);
    for (let at = 0, turn = 0; at < body.length; turn += 1) watch.push(body.subarray(at, at += sizes[turn % sizes.length]!));
    assert.equal(watch.model(), modelIn(body, { type: formType }));
  }));
});

test('a body that is not a form has no boundary', () => {
  for (const type of ['application/json', 'multipart/form-data', 'multipart/mixed; boundary=a', null]) assert.equal(formBoundary(type), null);
});

test('a path that names a model goes before a body, which the provider does not ask', () => {
  assert.equal(requestedModelOf('/upstreams/aws/model/amazon.nova-pro-v1:0/converse', 'amazon.nova-micro-v1:0'), 'amazon.nova-pro-v1:0');
  assert.equal(requestedModelOf('/v1/images/generations', 'gpt-image-1'), 'gpt-image-1');
});

test('a path that names a model', () => {
  const rows: readonly (readonly [path: string, model: string | null])[] = [
    ['/upstream/v1/models/gemini-2.5-flash:generateContent', 'gemini-2.5-flash'],
    ['/upstream/v1beta/models/gemini-2.5-flash:streamGenerateContent', 'gemini-2.5-flash'],
    ['/v1/engines/davinci/completions', 'davinci'],
    ['/upstream/openai/deployments/my%2Dgpt/chat/completions', 'my-gpt'],
    ['/upstream/model/anthropic.claude-3-haiku-20240307-v1:0/converse', 'anthropic.claude-3-haiku-20240307-v1:0'],
    ['/upstream/v1/models/black-forest-labs/flux-schnell/predictions', 'black-forest-labs/flux-schnell'],
    ['/v1/models/ft:gpt-4o:org::id', null], ['/v1/models', null], ['/v1/chat/completions', null], ['/v1/engines/%zz/completions', '%zz'],
  ];
  for (const [path, model] of rows) assert.equal(modelOfPath(path), model, path);
});
