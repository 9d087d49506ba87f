/** Realtime through a whole node: responses that were asked for and those that were not, transcriptions, limits, credentials, other sessions. */
import { strict as assert } from 'node:assert';
import { suite, test, type TestContext } from 'node:test';
import { openCaller, type Peer } from '@metergate/testkit/websocket/peer.ts';
import { closeOf, frameOf } from '@metergate/testkit/websocket/wire.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { fromCaller, fromProvider, mask, usage } from './test-support/events.ts';
import { ask, begun, done, heard, realtimePath, sessionCreated, spoken, transcribed } from './test-support/realtime-events.ts';
import { reachCap } from './test-support/reached-cap.ts';
import { startSessionNode, type SessionNode } from './test-support/session-node.ts';

const timeout = 120_000;

async function open(t: TestContext, path: string = realtimePath): Promise<{ node: SessionNode; caller: Peer; upstream: Peer }> {
  const node = await startSessionNode(t);
  return { node, ...await node.connect({ path }) };
}

const ofResponses = ({ journal }: SessionNode) => journal.closed.filter(({ connection }) => connection !== null);

suite('responses of Realtime', { timeout }, () => {
  test('one that was asked for has the model of its session, and every kind of token at its own price', async (t) => {
    const { node, caller, upstream } = await open(t);
    const answer = [sessionCreated(), begun('resp_1'), spoken('resp_1'), done('resp_1')];
    caller.send(ask({ event_id: 'mine' }));
    await upstream.until(() => upstream.frames.length === 1);
    assert.deepEqual(upstream.received, ask({ event_id: 'mine' }));
    upstream.send(...answer);
    await caller.until(() => caller.events.length === 4);
    assert.deepEqual(caller.received, Buffer.concat(answer));
    const [record] = node.journal.closed;
    assert.deepEqual([record?.model, record?.requestedModel, record?.finishReason, record?.status, record?.outcome, record?.endpoint],
      ['gpt-realtime-2025-08-28', 'gpt-realtime', 'completed', 200, 'completed', 'other']);
    assert.deepEqual([record?.inputTokens, record?.outputTokens, record?.cachedTokens, record?.audioInputTokens, record?.audioOutputTokens],
      [1_400, 200, 600, 700, 150]);
    assert.deepEqual(record?.units, { imageInputTokens: 300, cachedAudioTokens: 300, cachedImageTokens: 100 });
    // 200 text at 4, 400 sound at 32, 200 image at 5; cached 200 and 300 at 0.4, 100 at 0.5; 50 text at 16, 150 sound at 64: dollars a million.
    assert.equal(record?.cost, 200n * 4_000n + 400n * 32_000n + 200n * 5_000n + 500n * 400n + 100n * 500n + 50n * 16_000n + 150n * 64_000n);
    assert.deepEqual(record.costGaps, []);
    assert.equal(record.responseBytes, answer.slice(1).reduce((sum, frame) => sum + frame.length, 0));
  });

  test('one that the provider begins by itself is opened before the caller hears of it', async (t) => {
    const { node, caller, upstream } = await open(t);
    const waiting: (() => void)[] = [];
    caller.send(heard());
    await upstream.until(() => upstream.frames.length === 1);
    node.journal.hold = (_what, go) => void waiting.push(go);
    upstream.send(begun('resp_1'), done('resp_1'));
    await eventually(() => waiting.length > 0);
    assert.equal(caller.received.length, 0);
    waiting.shift()!();
    await caller.until(() => caller.events.length === 1);
    await eventually(() => waiting.length > 0);
    assert.equal(caller.events.length, 1);
    waiting.shift()!();
    await caller.until(() => caller.events.length === 2);
    node.journal.hold = null;
    assert.deepEqual(ofResponses(node).map(({ requestBytes, inputTokens, requestedModel }) => [requestBytes, inputTokens, requestedModel]),
      [[0, 1_400, 'gpt-realtime']]);
  });

  test('cancelled, failed and incomplete ones end as they say, with what they report', async (t) => {
    const { node, caller, upstream } = await open(t);
    caller.send(ask(), ask(), ask());
    await upstream.until(() => upstream.frames.length === 3);
    upstream.send(begun('r1'), done('r1', { status: 'cancelled', status_details: { type: 'cancelled', reason: 'turn_detected' } }), begun('r2'),
      done('r2', { status: 'failed', usage: null, status_details: { type: 'failed', error: { type: 'server_error', code: null } } }), begun('r3'),
      done('r3', { status: 'incomplete', status_details: { type: 'incomplete', reason: 'max_output_tokens' } }));
    await caller.until(() => caller.events.length === 6);
    assert.deepEqual(ofResponses(node).map(({ finishReason, usage, usageReason, inputTokens }) => [finishReason, usage, usageReason, inputTokens]), [
      ['cancelled', 'reported', null, 1_400], ['failed', 'unknown', 'absent', null], ['incomplete:max_output_tokens', 'reported', null, 1_400],
    ]);
  });

  test('several at once are distinguished by their ids, and one is counted once', async (t) => {
    const { node, caller, upstream } = await open(t);
    caller.send(ask(), ask({ response: { conversation: 'none' } }));
    await upstream.until(() => upstream.frames.length === 2);
    upstream.send(begun('r1'), begun('r2'), spoken('r1'), done('r2'), done('r2'), done('r1'),
      fromProvider({ type: 'output_audio_buffer.stopped', response_id: 'of-another-time' }));
    await caller.until(() => caller.events.length === 7);
    assert.deepEqual(ofResponses(node).map(({ providerRequestId }) => providerRequestId), ['r2', 'r1']);
    assert.equal(node.journal.opened.length, 3);
  });

  test('an error ends the request that it names, and no other', async (t) => {
    const { node, caller, upstream } = await open(t);
    caller.send(ask({ event_id: 'one' }), ask({ event_id: 'two' }));
    await upstream.until(() => upstream.frames.length === 2);
    const refused = (eventId: string | null): Buffer => fromProvider({
      type: 'error', event_id: 'event_9', error: { type: 'invalid_request_error', code: 'x', message: 'No.', param: null, event_id: eventId },
    });
    upstream.send(refused('of something else'), refused(null), refused('two'), begun('r1'), done('r1'));
    await caller.until(() => caller.events.length === 5);
    assert.deepEqual(ofResponses(node).map(({ usage, providerRequestId, status }) => [usage, providerRequestId, status]),
      [['none', null, null], ['reported', 'r1', 200]]);
  });

  test('one that never ends is cut with its connection, and its usage is not known', async (t) => {
    const { node, caller, upstream } = await open(t);
    upstream.send(begun('r1'), spoken('r1'));
    await caller.until(() => caller.events.length === 2);
    upstream.socket.destroy();
    await caller.ended();
    assert.deepEqual(ofResponses(node).map(({ usage, usageReason, outcome }) => [usage, usageReason, outcome]), [['unknown', 'cut', 'cut']]);
  });
});

suite('transcriptions', { timeout }, () => {
  test('one is a separate call, at the price of the model that transcribes: by tokens and by seconds', async (t) => {
    const { node, caller, upstream } = await open(t, '/v1/realtime?intent=transcription');
    const transcribedBy = (model: string): object => ({ type: 'transcription', audio: { input: { transcription: { model } } } });
    caller.send(fromCaller({ type: 'session.update', session: transcribedBy('whisper-1') }));
    await upstream.until(() => upstream.frames.length === 1);
    const [seconds, tokens] = [
      transcribed('item_1', { type: 'duration', seconds: 90.5 }),
      transcribed('item_2', {
        type: 'tokens', input_tokens: 20, output_tokens: 5, total_tokens: 25, input_token_details: { text_tokens: 0, audio_tokens: 20 },
      }),
    ];
    upstream.send(sessionCreated({ type: 'transcription', model: undefined }), seconds,
      fromProvider({ type: 'session.updated', session: transcribedBy('gpt-4o-transcribe') }), tokens);
    await caller.until(() => caller.events.length === 4);
    const [first, second] = ofResponses(node);
    assert.deepEqual([first?.model, first?.requestedModel, first?.units, first?.providerRequestId, first?.costGaps],
      ['whisper-1', 'whisper-1', { seconds: 90.5 }, 'item_1', []]);
    assert.equal(first?.cost, 905n * 10_000_000n / 1_000n);
    assert.deepEqual([second?.model, second?.inputTokens, second?.outputTokens, second?.audioInputTokens, second?.usage],
      ['gpt-4o-transcribe', 20, 5, 20, 'reported']);
  });

  test('seconds of a model that has no price for them cost nobody knows what, and never nothing', async (t) => {
    const { node, caller, upstream } = await open(t);
    upstream.send(sessionCreated({ audio: { input: { transcription: { model: 'gpt-4o-transcribe' } } } }),
      transcribed('item_1', { type: 'duration', seconds: 3 }));
    await caller.until(() => caller.events.length === 2);
    assert.deepEqual(ofResponses(node).map(({ cost, costSource, units }) => [cost, costSource, units]), [[null, 'unpriced', { seconds: 3 }]]);
  });

  test('long ones that nothing names are a call each', async (t) => {
    const { node, caller, upstream } = await open(t);
    const long = fromProvider({ type: 'transcription.done', text: 'x'.repeat(70_000), usage: { type: 'duration', seconds: 3 } });
    upstream.send(long, long);
    await caller.until(() => caller.events.length === 2);
    assert.deepEqual(ofResponses(node).map(({ units }) => units), [{ seconds: 3 }, { seconds: 3 }]);
  });

  test('it does not answer a request for a response, and one that failed before it began is no call', async (t) => {
    const { node, caller, upstream } = await open(t);
    caller.send(ask());
    await upstream.until(() => upstream.frames.length === 1);
    const part = (type: string, item: string): Buffer =>
      fromProvider({ type: `conversation.item.input_audio_transcription.${type}`, item_id: item, content_index: 1 });
    upstream.send(part('failed', 'item_1'), part('delta', 'item_2'), begun('r1'), part('failed', 'item_2'), done('r1'));
    await caller.until(() => caller.events.length === 5);
    assert.deepEqual(ofResponses(node).map(({ providerRequestId, usage, requestBytes }) => [providerRequestId, usage, requestBytes > 0]),
      [['item_2#1', 'unknown', false], ['r1', 'reported', true]]);
  });
});

suite('limits on Realtime', { timeout }, () => {
  test('a create that a cap refuses never leaves, and is refused in Realtime\'s own words', async (t) => {
    const { node, caller, upstream } = await open(t);
    reachCap(node);
    caller.send(ask({ event_id: 'mine' }), fromCaller({ type: 'response.cancel' }));
    await upstream.until(() => upstream.frames.length === 1);
    assert.equal(JSON.parse(upstream.frames[0]!.payload.toString()).type, 'response.cancel');
    const [event] = caller.events as unknown as { readonly event_id: string; readonly error: object }[];
    assert.match(event!.event_id, /^event_./);
    assert.deepEqual({ ...event!.error, message: '' },
      { type: 'insufficient_quota', code: 'budget_exceeded', message: '', param: null, event_id: 'mine' });
    assert.equal(caller.closed, null);
    assert.equal(node.journal.opened.length, 1);
  });

  const turns: readonly (readonly [name: string, frame: Buffer])[] = [
    ['sound', heard()], ['a commit', fromCaller({ type: 'input_audio_buffer.commit' })],
    ['what is not known', fromCaller({ type: 'input_text.append' })],
    ['a tool that may be called', fromCaller({ type: 'conversation.item.create', item: { type: 'mcp_approval_response', approve: true } })],
    ['a tool that may be called, beside an item that is harmless', frameOf('{"type":"conversation.item.create","item":{"type":"message"},'
      + '"Item":{"type":"mcp_approval_response"}}', { mask })],
    ['an item of two types', frameOf('{"type":"conversation.item.create","item":{"type":"mcp_approval_response","type":"message"}}', { mask })],
    ['no valid JSON', frameOf('{"type":"response.create",}', { mask })],
  ];
  for (const [name, frame] of turns) {
    test(`at a reached cap nothing leaves for which the provider may begin a response by itself: ${name}`, async (t) => {
      const { node, caller, upstream } = await open(t);
      caller.send(heard());
      await upstream.until(() => upstream.frames.length === 1);
      reachCap(node);
      caller.send(frame);
      await caller.until(() => caller.closed !== null);
      assert.deepEqual(caller.closed, { code: 1008, reason: 'budget_exceeded' });
      assert.equal(caller.events.at(-1)?.error?.code, 'budget_exceeded');
      await upstream.until(() => upstream.closed !== null);
      assert.deepEqual(upstream.frames.map(({ opcode }) => opcode), [1, 8]);
    });
  }

  test('what runs when a cap is reached is read to its end; what would lead to more is kept back, a cancel is not', async (t) => {
    const { node, caller, upstream } = await open(t);
    upstream.send(begun('r1'));
    await caller.until(() => caller.events.length === 1);
    reachCap(node);
    caller.send(heard(), heard(), fromCaller({ type: 'response.cancel' }));
    await upstream.until(() => upstream.frames.length === 1);
    assert.match(upstream.frames[0]!.payload.toString(), /response\.cancel/);
    assert.equal(caller.closed, null);
    upstream.send(done('r1', { status: 'cancelled' }));
    await caller.until(() => caller.closed !== null);
    assert.deepEqual(caller.events.map(({ type }) => type), ['response.created', 'response.done', 'error']);
    assert.deepEqual(caller.closed, { code: 1008, reason: 'budget_exceeded' });
    assert.equal(ofResponses(node).length, 1);
  });

  test('what the provider begins by itself at a reached cap is counted, and the connection ends once it is over', async (t) => {
    const { node, caller, upstream } = await open(t);
    caller.send(heard());
    await upstream.until(() => upstream.frames.length === 1);
    reachCap(node);
    upstream.send(begun('r1'), done('r1'));
    await caller.until(() => caller.closed !== null);
    assert.deepEqual(caller.events.map(({ type }) => type), ['response.created', 'response.done', 'error']);
    assert.deepEqual(caller.closed, { code: 1008, reason: 'budget_exceeded' });
    assert.deepEqual(ofResponses(node).map(({ inputTokens }) => inputTokens), [1_400]);
  });
});

suite('other sessions', { timeout }, () => {
  test('the control channel of a call hears its responses, and they are metered', async (t) => {
    const { node, caller, upstream } = await open(t, '/v1/realtime?call_id=rtc_1');
    assert.match(upstream.head, /^GET \/v1\/realtime\?call_id=rtc_1 HTTP/);
    upstream.send(spoken('r1'), done('r1', { model: 'gpt-realtime' }));
    await caller.until(() => caller.events.length === 2);
    assert.deepEqual(ofResponses(node).map(({ model, inputTokens }) => [model, inputTokens]), [['gpt-realtime', 1_400]]);
  });

  test('what two control channels of one call hear is counted once, on the one that asked for it', async (t) => {
    const node = await startSessionNode(t);
    const path = '/v1/realtime?call_id=rtc_1';
    const [one, other, another] = [await node.connect({ path }), await node.connect({ path }), await node.connect({ path: `${path}2` })];
    other.caller.send(ask());
    await other.upstream.until(() => other.upstream.frames.length === 1);
    for (const { caller, upstream } of [one, other]) {
      upstream.send(begun('r1'));
      await caller.until(() => caller.events.length === 1);
    }
    for (const { caller, upstream } of [one, other]) {
      upstream.send(done('r1'), begun('r2'), done('r2'));
      await caller.until(() => caller.events.length === 4);
    }
    another.upstream.send(done('r2'));
    await another.caller.until(() => another.caller.events.length === 1);
    const counted = ofResponses(node).map(({ providerRequestId, requestBytes }) => [providerRequestId, requestBytes > 0]);
    assert.deepEqual(counted.toSorted(), [['r1', true], ['r2', false], ['r2', false]]);
  });

  test('live: the last of the session\'s figures is its own, once, and what it has others make is a call each', async (t) => {
    const { node, caller, upstream } = await open(t, '/v1/live/sessions');
    caller.send(fromCaller({ type: 'session.start', session: { model: 'gpt-live-1' } }), heard());
    await upstream.until(() => upstream.frames.length === 2);
    const used = (type: string, seconds: number): Buffer =>
      fromProvider({ type, event_id: 'e', session: { model: 'gpt-live-1' }, usage: { seconds } });
    const wrapped = (event: object): Buffer => fromProvider({ type: 'response.event', event_id: 'e', delegation_id: 'd', event });
    const response = { id: 'resp_1', model: 'gpt-5.2-2025-12-11', status: 'in_progress', usage: null };
    upstream.send(used('session.started', 0), used('session.usage.updated', 4), wrapped({ type: 'response.created', response }),
      wrapped({ type: 'response.output_text.delta', delta: 'x' }),
      wrapped({ type: 'response.completed', response: { ...response, status: 'completed', usage } }),
      used('session.usage.updated', 9), used('session.closed', 12.5));
    await caller.until(() => caller.events.length === 7);
    const [delegated] = ofResponses(node);
    assert.deepEqual([delegated?.model, delegated?.inputTokens, delegated?.outputTokens, delegated?.providerRequestId],
      ['gpt-5.2-2025-12-11', 11, 7, 'resp_1']);
    caller.send(closeOf(1000, '', mask));
    await upstream.until(() => upstream.closed !== null);
    upstream.send(closeOf(1000));
    upstream.socket.end();
    const session = await node.recordOf(({ connection }) => connection === null);
    assert.deepEqual([session.usage, session.units, session.model, session.requestedModel, session.status],
      ['reported', { seconds: 12.5 }, 'gpt-live-1', 'gpt-live-1', 101]);
    assert.equal(ofResponses(node).length, 1);
  });

  test('live: a session that is cut has what it last reported, in part', async (t) => {
    const { node, caller, upstream } = await open(t, '/v1/live/sessions/sess_1/attach');
    upstream.send(fromProvider({ type: 'session.usage.updated', event_id: 'e', usage: { seconds: 4 } }));
    await caller.until(() => caller.events.length === 1);
    upstream.socket.destroy();
    const session = await node.recordOf(({ connection }) => connection === null);
    assert.deepEqual([session.usage, session.usageReason, session.units], ['partial', 'cut', { seconds: 4 }]);
  });

  for (const path of ['/v1/realtime/translations?model=m', '/v1/anything']) {
    test(`messages on ${path} pass, and their usage is not known`, async (t) => {
      const { node, caller, upstream } = await open(t, path);
      caller.send(frameOf('not read', { mask }), frameOf('at all', { mask, opcode: 2 }));
      await upstream.until(() => upstream.frames.length === 2);
      upstream.send(frameOf('{"type":"response.created","response":{"id":"r"}}'));
      await caller.until(() => caller.frames.length === 1);
      upstream.socket.destroy();
      const record = await node.recordOf(() => true);
      assert.deepEqual([record.usage, record.usageReason, record.status, record.endpoint, record.requestedModel],
        ['unknown', 'not_reported', 101, 'other', path.includes('model=') ? 'm' : null]);
      assert.equal(node.journal.closed.length, 1);
    });
  }

  test('at a reached cap nothing more is forwarded where nothing is read', async (t) => {
    const { node, caller, upstream } = await open(t, '/v1/anything');
    reachCap(node);
    caller.send(frameOf('x', { mask }));
    await caller.until(() => caller.closed !== null);
    assert.deepEqual([caller.frames.length, caller.closed], [1, { code: 1008, reason: 'budget_exceeded' }]);
    await upstream.until(() => upstream.closed !== null);
    assert.equal(upstream.frames.length, 1);
  });

  test('an organization that refuses work without a report refuses a connection that is not read, and no other', async (t) => {
    const node = await startSessionNode(t);
    const held = node.key.held!;
    const unmetered = { deferred: 'refuse', unreported: 'refuse', handedOut: 'refuse', hidden: 'refuse' } as const;
    node.key.held = { ...held, organization: { ...held.organization, unmetered } };
    const refused = await openCaller(node.origin, { key: `svc_live_${'9'.repeat(32)}`, path: '/v1/realtime/translations?model=m' });
    assert.match(refused.head, /^HTTP\/1.1 403 /);
    refused.socket.destroy();
    for (const path of [realtimePath, '/v1/live/sessions']) {
      const { caller, upstream } = await node.connect({ path });
      caller.send(ask());
      await upstream.until(() => upstream.frames.length === 1);
      assert.equal(caller.closed, null);
    }
  });

  test('a browser\'s key in a subprotocol, in any case, is swapped and never forwarded', async (t) => {
    const node = await startSessionNode(t, { headers: ['Sec-WebSocket-Protocol: realtime'] });
    const upstream = node.provider.accepted();
    const key = `svc_live_${'9'.repeat(32)}`;
    const offered = `sec-websocket-protocol: realtime, OpenAI-Insecure-API-Key.${key}`;
    const caller = await openCaller(node.origin, { path: realtimePath, headers: [offered] });
    assert.match(caller.head, /^HTTP\/1.1 101 [^]*\r\nSec-WebSocket-Protocol: realtime\r\n/i);
    const { head } = await upstream;
    assert.match(head, /\r\nsec-websocket-protocol: realtime\r\n/);
    assert.match(head, /\r\nauthorization: Bearer sk\r\n/);
    assert.doesNotMatch(head, /svc_live|insecure/i);
    caller.socket.destroy();
  });
});

test('a provider that is disconnected: sound does not leave any more, and the connection ends', { timeout }, async (t) => {
  const node = await startSessionNode(t);
  const { caller, upstream } = await node.connect({ path: realtimePath });
  const held = node.key.held!;
  node.key.held = { ...held, organization: { ...held.organization, openai: { state: 'missing' } } };
  caller.send(fromCaller({ type: 'input_audio_buffer.append', audio: 'AAAA' }));
  await caller.until(() => caller.closed !== null);
  assert.deepEqual([caller.closed, caller.events[0]?.error?.code], [{ code: 1008, reason: 'provider_key_missing' }, 'provider_key_missing']);
  await upstream.until(() => upstream.closed !== null);
  assert.deepEqual(upstream.frames.filter(({ opcode }) => opcode === 1), []);
});

suite('lists of models', { timeout }, () => {
  async function listed(t: TestContext): Promise<SessionNode> {
    const node = await startSessionNode(t);
    const held = node.key.held!;
    node.key.held = { ...held, key: { ...held.key, models: ['gpt-realtime*', 'whisper-1'] } };
    return node;
  }

  test('the model of the handshake must be allowed, and one that is not read must name an allowed one', async (t) => {
    const node = await listed(t);
    for (const path of ['/v1/realtime?model=other', '/v1/anything', '/v1/realtime/translations?model=other']) {
      const refused = await openCaller(node.origin, { key: `svc_live_${'9'.repeat(32)}`, path });
      assert.match(refused.head, /^HTTP\/1.1 40[34] /, path);
      refused.socket.destroy();
    }
  });

  test('a message that sets another does not leave; a create, which names none, does', async (t) => {
    const node = await listed(t);
    const { caller, upstream } = await node.connect({ path: realtimePath });
    const setting = (model: string): Buffer =>
      fromCaller({ type: 'session.update', event_id: model, session: { audio: { input: { transcription: { model } } } } });
    caller.send(setting('gpt-4o-transcribe'), setting('whisper-1'), ask());
    await upstream.until(() => upstream.frames.length === 2);
    assert.deepEqual(upstream.received, Buffer.concat([setting('whisper-1'), ask()]));
    assert.equal(caller.events[0]?.error?.code, 'model_not_allowed');
  });
});
