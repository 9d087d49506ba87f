/**
 * What is on the other side of a node's sockets: its callers and its provider, on a separate thread, so that the processor time of the
 * node's thread is the node's alone. One exchange at a time.
 */
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import { RawConnection } from '@metergate/testkit/raw-client.ts';
import { startScriptedProvider } from '@metergate/testkit/scripted-provider.ts';

/** What a caller sends, and how the provider answers each request of it. */
export interface Exchange {
  /** Bytes as they are, in Latin-1. */
  readonly sent: string;
  /** How many bytes go at a time, each in a turn of the event loop; null: all at once. */
  readonly pieceBytes?: number | null;
  /** How many answers to wait for. Fewer come if the connection is closed. */
  readonly answers?: number;
  /** Headers of the provider's answer; the body is sent in chunks of `answerPieceBytes`, or, if that is null, whole. */
  readonly answerHeaders?: readonly (readonly [name: string, value: string])[];
  readonly answerBody?: string;
  readonly answerPieceBytes?: number | null;
}

/** Statuses of the answers, in order. */
export type Statuses = readonly number[];

export interface FarSide {
  readonly providerUrl: string;
  exchange(gatewayUrl: string, exchange: Exchange): Promise<Statuses>;
  close(): Promise<void>;
}

export async function startFarSide(): Promise<FarSide> {
  const worker = new Worker(new URL(import.meta.url));
  const said = async <Said>(): Promise<Said> => (await once(worker, 'message') as [Said])[0];
  const providerUrl = await said<string>();
  return {
    providerUrl,
    exchange(gatewayUrl, exchange) {
      worker.postMessage({ gatewayUrl, exchange });
      return said<Statuses>();
    },
    close: async () => void await worker.terminate(),
  };
}

function* piecesOf(bytes: Buffer, pieceBytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function* inTurns(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (const piece of piecesOf(bytes, pieceBytes)) {
    yield piece;
    await turn();
  }
}

async function play(gatewayUrl: string, { sent, pieceBytes = null, answers = 1 }: Exchange): Promise<Statuses> {
  const connection = await RawConnection.open(gatewayUrl, { keepBodies: false });
  connection.socket.on('error', () => {});
  const awaited = (async () => {
    for (let count = 0; count < answers; count += 1) await connection.nextAnswer();
  })().catch(() => {});
  const bytes = Buffer.from(sent, 'latin1');
  if (pieceBytes === null) connection.send(bytes);
  else for await (const piece of inTurns(bytes, pieceBytes)) connection.send(piece);
  await awaited;
  await connection.close();
  return connection.answers.map(({ status }) => status);
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const provider = await startScriptedProvider();
  provider.keepBodies(false);
  port.on('message', ({ gatewayUrl, exchange }: { gatewayUrl: string; exchange: Exchange }) => {
    const { answerHeaders = [['content-type', 'application/json']], answerBody = '{}', answerPieceBytes = null } = exchange;
    const body = Buffer.from(answerBody, 'utf8');
    provider.requests.length = 0;
    provider.respond(() => ({ headers: answerHeaders, body: answerPieceBytes === null ? body : inTurns(body, answerPieceBytes) }));
    void play(gatewayUrl, exchange).then((statuses) => port.postMessage(statuses));
  });
  port.postMessage(provider.url);
}
