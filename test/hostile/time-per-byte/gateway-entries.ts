/**
 * Where the gateway reads what a caller or an upstream sends beyond the two wires: paths and keys of named upstreams, what their credentials are
 * made from, the answers of their own dialects, and both ends of a WebSocket connection.
 */
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';
import { keyAmong, withoutKeys } from '@metergate/core/call/key-subprotocols.ts';
import { modelsOfTarget, ModelScanner } from '@metergate/core/call/models-asked.ts';
import { asFirstWirePath, behindName, upstreamNameOf, withoutKeyInQuery } from '@metergate/core/call/named-upstream.ts';
import { sessionHeadersDefault, SessionHeaders } from '@metergate/core/call/session.ts';
import { presentedAtUpstream } from '@metergate/core/call/upstream-key.ts';
import { LaterScanner } from '@metergate/core/usage/later-scanner.ts';
import { askedInBody } from '@metergate/core/usage/later-work.ts';
import { ownDialects } from '@metergate/core/usage/dialect-names.ts';
import { createOutcomeReader } from '@metergate/core/usage/outcome-reader.ts';
import { createUsageReader } from '@metergate/core/usage/reader.ts';
import { CallerEvents } from '@metergate/core/usage/websocket/caller-event.ts';
import { RealtimeCallerEvents } from '@metergate/core/usage/websocket/realtime-caller-event.ts';
import { RealtimeServerEvents } from '@metergate/core/usage/websocket/realtime-server-event.ts';
import { ServerEvents } from '@metergate/core/usage/websocket/server-event.ts';
import { awsCredentialOf, awsPlaceOf, serviceAccountOf } from '@metergate/core/wire/made-credentials.ts';
import { bodyModelsOf } from '@metergate/gateway/call/body-models.ts';
import { createModelWatch } from '@metergate/gateway/call/requested-model.ts';
import { signedBy } from '@metergate/gateway/credentials/aws-signer.ts';
import { FramedCopy } from '@metergate/gateway/usage/framed-copy.ts';
import { GuardedReader } from '@metergate/gateway/usage/guarded-reader.ts';
import { withoutLineEnds } from '@metergate/gateway/websocket/event-text.ts';
import { compressionOf } from '@metergate/gateway/websocket/extensions.ts';
import { FrameFinder } from '@metergate/gateway/websocket/frames.ts';
import { bodies, texts, values, type Shape } from './shapes.ts';
import type { TextEntry } from './text-entries.ts';

const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const ofText = (read: (text: string) => unknown): TextEntry => ({ shapes: texts, read });
const ofBody = (read: (text: string) => unknown): TextEntry => ({ shapes: bodies, read });
const inBodies = (templates: readonly string[], read: (text: string) => unknown): TextEntry =>
  ({ shapes: values, read: (value) => { for (const template of templates) read(template.replace('V', () => value)); } });

const pieceBytes = 61;
/** Whole and in small pieces. */
function cut(given: string | Buffer, begin: () => { push(bytes: Buffer): unknown; finish?(ending: 'whole'): unknown }): void {
  const bytes = Buffer.from(given as string);
  for (const size of [Math.max(1, bytes.length), pieceBytes]) {
    const reader = begin();
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    reader.finish?.('whole');
  }
}

const dialectTemplates = [
  '{"usageMetadata":V}', '{"usageMetadata":{"promptTokenCount":V,"promptTokensDetails":V}}', '{"usage":V}', '{"usage":{"inputTokens":V}}',
  '{"metadata":{"usage":V}}', '{"meta":{"billed_units":V}}', '{"prompt_eval_count":V,"eval_count":V}', '{"modelVersion":V}', '{"candidates":V}',
];
const dialectEntries = Object.fromEntries(ownDialects.flatMap((dialect) => {
  const forms = [{ streamed: false }, { streamed: true }, { streamed: true, inLines: true }];
  const read = (text: string): void => {
    for (const form of forms) {
      cut(text, () => createUsageReader({ wire: 'upstream', endpoint: 'other', dialect, ...form }));
    }
  };
  return [
    [`answer: ${dialect}`, ofBody(read)],
    [`answer: ${dialect}, its values`, inBodies(dialectTemplates.flatMap((template) => [`${template}\n`, `data: ${template}\n\n`]), read)],
  ] as [string, TextEntry][];
}));

const codec = new EventStreamCodec((bytes) => Buffer.from(bytes).toString('utf8'), (text) => Buffer.from(text, 'utf8'));
const anthropicInFrames = { wire: 'upstream', endpoint: 'other', dialect: 'bedrock-anthropic', streamed: true } as const;
const awsUrl = 'https://bedrock-runtime.us-east-1.amazonaws.com';
const aws = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: null, region: 'us-east-1', service: 'bedrock' } as const;
const place = { host: 'bedrock-runtime.us-east-1.amazonaws.com', nowMs: 0 };
const sign = (target: string, rawHeaders: readonly string[]): Promise<unknown> =>
  signedBy(aws, place, { method: 'POST', target, rawHeaders, body: bytesOf('{}') });
/** As Node hands it on: visible characters alone. */
const visible = (text: string): string => text.replaceAll(/[^\x21-\x7e]/g, 'x');

const caller = { masked: true, payloadBytesMax: 2 ** 24 } as const;
const provider = { masked: false, payloadBytesMax: 2 ** 24 } as const;
/** Where only the length matters. */
const ofLength = (read: (length: number) => unknown): TextEntry =>
  ({ shapes: { letters: texts['letters']! }, read: ({ length }) => read(length) });
const mask = Buffer.from([0x11, 0x22, 0x33, 0x44]);
const small: Readonly<Record<string, Shape>> = { letters: texts['letters']!, accents: texts['accents']! };

function readFrames(bytes: Buffer, options: typeof caller | typeof provider): void {
  for (const size of [Math.max(1, bytes.length), pieceBytes]) {
    const finder = new FrameFinder(options);
    for (let at = 0; at < bytes.length; at += size) if (finder.push(bytes.subarray(at, at + size), () => {}) !== null) break;
  }
}

const eventTemplates = [
  '{"type":V}', '{"type":"response.create","response":V}', '{"type":"response.create","model":V,"previous_response_id":V}',
  '{"type":"session.update","session":V}', '{"type":"conversation.item.create","item":V}', '{"type":"response.completed","response":V}',
  '{"type":"response.done","response":{"id":V,"usage":V}}',
  '{"type":"error","status":V,"error":V}', '{"type":"response.output_text.delta","delta":V}', '{"event_id":V,"stream_id":V}',
];
const eventReaders = { 'Responses, a caller': CallerEvents, 'Responses, a provider': ServerEvents,
  'Realtime, a caller': RealtimeCallerEvents, 'Realtime, a provider': RealtimeServerEvents };
/** One message, and the same one again: what is like the one before it is known by its bytes. */
const eventEntries = Object.fromEntries(Object.entries(eventReaders).flatMap(([name, Reader]) => {
  const read = (text: string): void => {
    const reader = new Reader();
    for (let times = 0; times < 2; times += 1) reader.read(bytesOf(text));
  };
  return [[`a message: ${name}`, ofBody(read)], [`a message: ${name}, its values`, inBodies(eventTemplates, read)]] as [string, TextEntry][];
}));

export const gatewayEntries: Readonly<Record<string, TextEntry>> = {
  ...dialectEntries,
  'an answer in frames': ofBody((text) => {
    const framed = codec.encode({ headers: {}, body: bytesOf(text) });
    const tiny = codec.encode({ headers: { ':event-type': { type: 'string', value: 'chunk' } }, body: bytesOf('{"bytes":"e30="}') });
    for (const answer of [bytesOf(text), Buffer.from(framed), Buffer.concat(Array.from({ length: text.length / tiny.length }, () => tiny))]) {
      cut(answer, () => {
        const copy = new FramedCopy(new GuardedReader(() => createUsageReader(anthropicInFrames)));
        return { push: (bytes) => copy.push(bytes) };
      });
    }
  }),
  'what a call came to': ofBody((text) => {
    for (const wire of ['openai', 'anthropic', 'upstream'] as const) {
      for (const streamed of [true, false]) cut(text, () => createOutcomeReader({ wire, streamed }, { form: 'response', part() {}, ended() {} }));
    }
  }),
  'the models of a body': ofBody((text) => cut(text, () => new ModelScanner())),
  'the models of a form': ofText((text) => {
    const head = 'content-disposition: form-data; name="model"\r\n\r\n';
    const parts = `--b\r\n${head}m\r\n`.repeat(text.length / 64);
    for (const body of [text, `--b\r\n${head}${text}\r\n--b--\r\n`, `--b\r\n${text}\r\n\r\n--b--\r\n`, parts]) {
      bodyModelsOf(bytesOf(body), ['content-type', 'multipart/form-data; boundary=b']);
    }
  }),
  'the model that a form asks for': ofText((text) => {
    for (const body of [text, `--b\r\n${text}`, `--b\r\ncontent-disposition: form-data; name="model"\r\n\r\n${text}\r\n--b--`]) {
      cut(body, () => createModelWatch(['content-type', 'multipart/form-data; boundary=b']));
    }
  }),
  'the parts of a form': ofLength((length) => {
    for (const part of ['\r\n--b', '\r\n--b\r\n\r\n', '\r\n--b\r\na: b\r\n', '\r\n--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nm']) {
      cut(part.repeat(length / part.length), () => createModelWatch(['content-type', 'multipart/form-data; boundary=b']));
    }
  }),
  'the boundary of a form': ofText((text) => {
    for (const before of ['', 'multipart/form-data;', 'multipart/form-data; boundary=', 'multipart/form-data; boundary="']) {
      bodyModelsOf(bytesOf('a'), ['content-type', before + text]);
    }
  }),
  'the models of a target': ofText((text) => {
    for (const before of ['', '/v1/models/', '/v1/x?model=']) modelsOfTarget(before + text);
  }),
  'work for later in a body': ofBody((text) => cut(text, () => new LaterScanner(askedInBody('/v1/interactions')!))),
  'the target at a named upstream': ofText((text) => {
    for (const before of ['/upstreams/', '/upstreams/a/', '/upstreams/a/v1?key=', '/upstreams/a/x/y/v1']) {
      const target = before + text;
      withoutKeyInQuery(target);
      presentedAtUpstream([], target);
      if (upstreamNameOf(target) !== null) asFirstWirePath(behindName(target, 'a'));
    }
  }),
  'the key at a named upstream': ofText((text) => {
    presentedAtUpstream(['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'].flatMap((name) => [name, text]), '/');
  }),
  'the session of a call': ofText((text) => new SessionHeaders(sessionHeadersDefault).of(sessionHeadersDefault.flatMap((name) => [name, text]))),
  'a credential of AWS': ofBody((text) => awsCredentialOf(text, awsUrl)),
  'a credential of AWS, its values': inBodies(['{"accessKeyId":V}', '{"accessKeyId":"AKIDEXAMPLE","secretAccessKey":V,"region":V}'],
    (text) => awsCredentialOf(text, awsUrl)),
  'a key file of Google': inBodies(['V', '{"type":"service_account","client_email":V,"private_key":V,"token_uri":V}'], serviceAccountOf),
  'the host of AWS': ofText((text) => awsPlaceOf(`https://${text}.amazonaws.com`)),
  'a target that is signed': ofText((text) => sign(`/model/${visible(text)}`, [])),
  'a query that is signed': ofText((text) => sign(`/model/a?${visible(text)}`, [])),
  'a query of one name, signed': ofLength((length) => sign(`/model/a?${'a&'.repeat(length / 2)}`, [])),
  'a query of many names, signed': ofLength((length) =>
    sign(`/model/a?${Array.from({ length: length / 8 }, (_, at) => `a${at}=1`).join('&')}`, [])),
  'a header that is signed': ofText((text) => sign('/', ['content-type', visible(text), 'x-amz-any', visible(text)])),
  'many headers that are signed': ofLength((length) => sign('/', Array.from({ length: length / 16 }, (_, at) => [`x-amz-${at}`, 'a']).flat())),
  'one header again and again, signed': ofLength((length) => sign('/', Array.from({ length: length / 16 }, () => ['x-amz-any', 'a']).flat())),
  'subprotocols of a handshake': ofText((text) => [keyAmong(text), withoutKeys(text), withoutKeys(`openai-insecure-api-key.${text}`)]),
  'extensions of a handshake': ofText((text) => {
    for (const before of ['', 'permessage-deflate; ', 'permessage-deflate; a=']) compressionOf(['sec-websocket-extensions', before + text]);
  }),
  'frames of any bytes': ofText((text) => {
    readFrames(bytesOf(text), caller);
    readFrames(bytesOf(text), provider);
  }),
  'frames of one byte': { shapes: small, read: (text) => {
    const bytes = bytesOf(text);
    readFrames(Buffer.concat(Array.from(bytes.subarray(0, bytes.length / 8), (_, at) => frameOf(bytes.subarray(at, at + 1), { mask }))), caller);
  } },
  'one frame': { shapes: small, read: (text) => readFrames(frameOf(text), provider) },
  ...eventEntries,
  'a message without its ends of lines': ofBody((text) => withoutLineEnds(bytesOf(text))),
};
