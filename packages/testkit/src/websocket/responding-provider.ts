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
  /** Waits before each event of a response; nothing by default. What it throws ends the conversation. */
  readonly pause?: (peer: Peer) => Promise<void>;
  readonly model?: string;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number; readonly cost?: number };
  /** What a response says; by default three words that belong to no item. */
  readonly output?: (asked: Asked) => readonly OutputItem[];
}

/** What a caller asks for, as far as answers depend on it. */
export interface Asked {
  readonly type: string;
  readonly stream_id?: string;
  readonly previous_response_id?: string;
  readonly input?: string | readonly { readonly type?: string }[];
  /** False: nothing is to be made; a client only prepares its connection. */
  readonly generate?: boolean;
}

/** One thing of an answer: a message, or a call of a tool. */
export type OutputItem = { readonly id: string; readonly type: string; readonly status: string } & Readonly<Record<string, unknown>>;

export async function startRespondingProvider(options: RespondingOptions = {}): Promise<RespondingProvider> {
  const provider: PeerProvider = await startPeerProvider(options);
  const { pause = async () => {}, model = 'gpt-5.2-2025-12-11', usage = { input_tokens: 11, output_tokens: 7, total_tokens: 18 } } = options;
  const begun: string[] = [];
  const received: string[][] = [];
  const heads: string[] = [];

  async function respond(peer: Peer, asked: Asked): Promise<void> {
    const { stream_id: lane } = asked;
    const id = `resp_${String(begun.length + 1).padStart(6, '0')}`;
    begun.push(id);
    let number = 0;
    const say = (type: string, more: object): void => {
      peer.send(frameOf(JSON.stringify({ type, sequence_number: number++, ...more, ...(lane === undefined ? {} : { stream_id: lane }) })));
    };
    const response = { id, object: 'response', created_at: 1, status: 'in_progress', model, output: [], previous_response_id: null };
    await pause(peer);
    say('response.created', { response });
    const output = options.output?.(asked);
    for (const delta of output === undefined ? ['one', 'two', 'three'] : []) {
      await pause(peer);
      say('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta, logprobs: [] });
    }
    for (const [output_index, item] of (output ?? []).entries()) {
      await pause(peer);
      say('response.output_item.added', { output_index, item });
      say('response.output_item.done', { output_index, item });
    }
    await pause(peer);
    say('response.completed', { response: { ...response, status: 'completed', output: output ?? [], usage } });
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
