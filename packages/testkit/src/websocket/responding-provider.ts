/** A provider of the Responses API over WebSocket that answers each `response.create`, and counts what it began. */
import type { Peer } from './peer.ts';
import { startPeerProvider, type PeerProvider, type PeerProviderOptions } from './scripted-peer-provider.ts';
import { frameOf } from './wire.ts';

export interface RespondingProvider {
  readonly url: string;
  /** Names of the responses that were begun, in their order. */
  readonly begun: readonly string[];
  /** The payloads that each connection brought, as text. */
  readonly received: readonly (readonly string[])[];
  /** The heads of the handshakes. */
  readonly heads: readonly string[];
  close(): Promise<void>;
}

export interface RespondingOptions extends PeerProviderOptions {
  /** Waits between the events of a response; nothing by default. */
  readonly pause?: () => Promise<void>;
  readonly model?: string;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number };
}

interface Asked { readonly type: string; readonly stream_id?: string; readonly previous_response_id?: string }

export async function startRespondingProvider(options: RespondingOptions = {}): Promise<RespondingProvider> {
  const provider: PeerProvider = await startPeerProvider(options);
  const { pause = async () => {}, model = 'gpt-5.2-2025-12-11', usage = { input_tokens: 11, output_tokens: 7, total_tokens: 18 } } = options;
  const begun: string[] = [];
  const received: string[][] = [];
  const heads: string[] = [];

  async function respond(peer: Peer, { stream_id: lane }: Asked): Promise<void> {
    const id = `resp_${String(begun.length + 1).padStart(6, '0')}`;
    begun.push(id);
    let number = 0;
    const say = (type: string, more: object): void => {
      peer.send(frameOf(JSON.stringify({ type, sequence_number: number++, ...more, ...(lane === undefined ? {} : { stream_id: lane }) })));
    };
    const response = { id, object: 'response', created_at: 1, status: 'in_progress', model, output: [], previous_response_id: null };
    say('response.created', { response });
    for (const delta of ['one', 'two', 'three']) {
      await pause();
      say('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta, logprobs: [] });
    }
    await pause();
    say('response.completed', { response: { ...response, status: 'completed', usage } });
  }

  async function converse(peer: Peer): Promise<void> {
    const own: string[] = [];
    received.push(own);
    heads.push(peer.head);
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
      const asked = JSON.parse(payload.toString()) as Asked;
      if (asked.type === 'response.create') await respond(peer, asked);
    }
  }

  async function serveNext(): Promise<void> {
    const peer = await provider.accepted();
    void serveNext();
    // A connection that ends early ends its conversation.
    await converse(peer).catch(() => {});
  }
  void serveNext();
  return { url: provider.url, begun, received, heads, close: () => provider.close() };
}
