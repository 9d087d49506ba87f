/** Attacks by how bodies are sent and answers are read. */
import { RawConnection } from '@metergate/testkit/raw-client.ts';
import { chatHead, forEver, inParallel, manage, occupy, pass, scaled, type Attacked } from './attacked.ts';

export type ConnectionAttack = 'stalled' | 'dripping' | 'idle' | 'readers' | 'leavers';

const slowReaders = 60;
const readerMs = 8_000;

export const connectionAttacks: Readonly<Record<ConnectionAttack, (attacked: Attacked) => Promise<unknown>>> = {
  /** Chat bodies that are held, and of which nothing more comes. */
  stalled: (attacked) => {
    const { gatewayUrl, key } = attacked;
    const begun = `${chatHead(key, 'Transfer-Encoding: chunked')}11170\r\n${'x'.repeat(0x11170)}\r\n`;
    void forEver(async () => {
      const open = await occupy(gatewayUrl, 9, begun);
      await Promise.all(open.map(({ ended }) => ended));
    }, 100);
    return pass(500);
  },

  /** 3,000 bodies of which each gets a byte every ten seconds. */
  async dripping(attacked) {
    const { gatewayUrl, key } = attacked;
    const begun = chatHead(key, 'Content-Length: 60000') + 'x'.repeat(50_000);
    const open = await occupy(gatewayUrl, scaled(attacked, 3_000), begun);
    let at = 0;
    setInterval(() => {
      for (let sent = 0; sent < 30 && open.length > 0; sent += 1) open[at++ % open.length]!.send('x');
    }, 100);
  },

  idle: (attacked) => occupy(attacked.gatewayUrl, scaled(attacked, 300), ''),

  /** Answers without end that nobody reads; given up after a while, and asked for again. */
  async readers(attacked) {
    const { gatewayUrl, key } = attacked;
    const call = `GET /upstream/v1/endless HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nx-answer: endless\r\n\r\n`;
    const work = async (): Promise<void> => {
      const connection = await RawConnection.open(gatewayUrl, { keepBodies: false });
      connection.socket.on('error', () => {});
      connection.stopReading();
      connection.send(call);
      await pass(readerMs);
      connection.abort();
    };
    inParallel(attacked, slowReaders, { work, pauseMs: 500 });
    await pass(500);
  },

  /** Two chat calls at once, the first with a key that is new to the node; the caller leaves within the second's body. */
  async leavers(attacked) {
    const work = async (): Promise<void> => {
      const made = await manage(attacked, 'POST', '/keys', {});
      const { id, key } = JSON.parse(made.body.toString()) as { id: string; key: string };
      const connection = await RawConnection.open(attacked.gatewayUrl, { keepBodies: false });
      connection.socket.on('error', () => {});
      const first = '{"model":"m","messages":[]}';
      connection.send(`${chatHead(key, `Content-Length: ${first.length}`)}${first}${chatHead(key, 'Content-Length: 500000')}${'x'.repeat(100_000)}`);
      await pass(50);
      connection.abort();
      await manage(attacked, 'DELETE', `/keys/${id}`);
    };
    inParallel(attacked, 2, { work, pauseMs: 300 });
    await pass(500);
  },
};
