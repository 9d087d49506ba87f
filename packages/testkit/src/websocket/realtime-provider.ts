/**
 * A provider of Realtime that answers each `response.create`, begins a response by itself for each `input_audio_buffer.commit`, as after words
 * that were spoken, and transcribes those. It counts what it began.
 */
import type { Peer } from './peer.ts';
import { startPeerProvider, type PeerProviderOptions } from './scripted-peer-provider.ts';
import { frameOf } from './wire.ts';

export interface RealtimeProvider {
  readonly url: string;
  /** Names of the responses that were begun, in their order. */
  readonly begun: readonly string[];
  /** Of the items that were transcribed. */
  readonly transcribed: readonly string[];
  /** The payloads that each connection brought, as text. */
  readonly received: readonly (readonly string[])[];
  /** The heads of the handshakes. */
  readonly heads: readonly string[];
  close(): Promise<void>;
}

export interface RealtimeProviderOptions extends PeerProviderOptions {
  /** Waits before each event of a response; nothing by default. What it throws ends the conversation. */
  readonly pause?: (peer: Peer) => Promise<void>;
}

/** Of each response: 500 tokens of text and 500 of sound in, of which 200 are cached text; 20 of text and 80 of sound out. */
export const realtimeUsage = {
  total_tokens: 1_100, input_tokens: 1_000, output_tokens: 100,
  input_token_details: {
    text_tokens: 500, audio_tokens: 500, cached_tokens: 200, cached_tokens_details: { text_tokens: 200, audio_tokens: 0, image_tokens: 0 },
  },
  output_token_details: { text_tokens: 20, audio_tokens: 80 },
};

export async function startRealtimeProvider(options: RealtimeProviderOptions = {}): Promise<RealtimeProvider> {
  const provider = await startPeerProvider(options);
  const { pause = async () => {} } = options;
  const [begun, transcribed]: [string[], string[]] = [[], []];
  const received: string[][] = [];
  const heads: string[] = [];
  let events = 0;

  function say(peer: Peer, type: string, more: object): void {
    events += 1;
    peer.send(frameOf(JSON.stringify({ type, event_id: `event_${events}`, ...more })));
  }

  async function respond(peer: Peer): Promise<void> {
    const id = `resp_${String(begun.length + 1).padStart(6, '0')}`;
    begun.push(id);
    const response = { object: 'realtime.response', id, status: 'in_progress', status_details: null, output: [], usage: null };
    await pause(peer);
    say(peer, 'response.created', { response });
    for (const delta of ['one', 'two', 'three']) {
      await pause(peer);
      say(peer, 'response.output_audio_transcript.delta', { response_id: id, item_id: 'item_1', output_index: 0, content_index: 0, delta });
    }
    await pause(peer);
    say(peer, 'response.done', { response: { ...response, status: 'completed', usage: realtimeUsage } });
  }

  async function hear(peer: Peer): Promise<void> {
    const item = `item_${String(transcribed.length + 1).padStart(6, '0')}`;
    transcribed.push(item);
    say(peer, 'input_audio_buffer.committed', { previous_item_id: null, item_id: item });
    await respond(peer);
    const usage = { type: 'duration', seconds: 2.5 };
    say(peer, 'conversation.item.input_audio_transcription.completed', { item_id: item, content_index: 0, transcript: 'Hello.', usage });
  }

  async function converse(peer: Peer): Promise<void> {
    const own: string[] = [];
    received.push(own);
    heads.push(peer.head);
    const audio = { input: { transcription: { model: 'whisper-1' } } };
    say(peer, 'session.created', { session: { type: 'realtime', object: 'realtime.session', id: 'sess_1', model: 'gpt-realtime', audio } });
    for (let at = 0; ; at += 1) {
      await peer.until(() => peer.frames.length > at);
      const { opcode, payload } = peer.frames[at]!;
      own.push(payload.toString());
      if (opcode === 8) {
        peer.send(frameOf(payload, { opcode: 8 }));
        peer.socket.end();
        return;
      }
      if (opcode !== 1) continue;
      const { type } = JSON.parse(payload.toString()) as { readonly type: string };
      if (type === 'response.create') await respond(peer);
      else if (type === 'input_audio_buffer.commit') await hear(peer);
    }
  }

  async function serveNext(): Promise<void> {
    const peer = await provider.accepted();
    void serveNext();
    // A connection that ends early ends its conversation.
    await converse(peer).catch(() => {});
  }
  void serveNext();
  return { url: provider.url, begun, transcribed, received, heads, close: () => provider.close() };
}
