/**
 * New connections to one destination: TCP, or TLS whose certificate is verified always and whose session is resumed. A declared upstream is
 * dialled through the address guard: the name stays what the certificate is checked against; the address is one that was judged, and the one
 * that was reached is judged again before a byte of TLS or HTTP leaves.
 */
import { connect, isIP, type OnReadOpts, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { DuplexOptions } from 'node:stream';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { slabBytes } from '../fairness/body-slabs.ts';
import { NotPublicFault, reachOf, type AddressGuard, type Reach } from '@metergate/store/network/address-guard.ts';

interface DiallerOptions {
  readonly url: URL;
  readonly scheme: 'http' | 'https';
  /** Null: a destination the operator configured, dialled as it is. */
  readonly guard: AddressGuard | null;
  /** Certificate authorities to trust instead of the runtime's. */
  readonly ca: string | Buffer | undefined;
}

interface Dialled {
  /** Gets what comes in; without a copy of it in a stream. Absent: it comes as a stream's does. */
  readonly onread?: OnReadOpts;
  /** The connection is there, and its TLS. */
  readonly opened: () => void;
}

/** Bytes that wait in a connection for the kernel before a writer is held back. */
const writtenAheadBytes = { http: slabBytes, https: 16 * 1024 } as const;

const probeAfterMs = 60_000;

export class Dialler {
  readonly #options: DiallerOptions;
  readonly #hostname: string;
  readonly #servername: string;
  readonly #port: number;
  readonly #reach: Reach;
  #session: Buffer | undefined;

  constructor(options: DiallerOptions) {
    const { url, scheme } = options;
    this.#options = options;
    this.#hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
    this.#reach = reachOf(url);
    this.#servername = isIP(this.#hostname) === 0 ? this.#hostname : '';
    this.#port = url.port !== '' ? Number(url.port) : scheme === 'https' ? 443 : 80;
  }

  /** Why nothing is dialled at all; null if it may be. */
  refusal(): Error | null {
    const { guard } = this.#options;
    return guard === null ? null : guard.refuseLiteral(this.#hostname, this.#reach);
  }

  /** The socket's `error` says what went wrong. */
  dial({ onread, opened }: Dialled): Socket {
    const { guard, scheme } = this.#options;
    const options: TcpNetConnectOpts & DuplexOptions = {
      host: this.#hostname, port: this.#port, autoSelectFamily: true, highWaterMark: writtenAheadBytes[scheme],
      ...(onread === undefined ? {} : { onread }),
    };
    if (guard !== null) options.lookup = guard.lookupFor(this.#reach);
    const socket = scheme === 'https' ? this.#dialTls(options) : connect(options);
    // Not as options: TLS leaves them out.
    socket.setNoDelay(true).setKeepAlive(true, probeAfterMs);
    if (guard !== null) socket.prependOnceListener('connect', () => this.#judge(guard, socket));
    return socket.once(scheme === 'https' ? 'secureConnect' : 'connect', () => {
      if (!socket.destroyed) opened();
    });
  }

  #dialTls(options: TcpNetConnectOpts & DuplexOptions): Socket {
    const tls: ConnectionOptions = { servername: this.#servername, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true };
    if (this.#options.ca !== undefined) tls.ca = this.#options.ca;
    if (this.#session !== undefined) tls.session = this.#session;
    const socket = connectTls({ ...options, ...tls });
    return socket.on('session', (session) => {
      if (socket.authorized) this.#session = session;
    });
  }

  #judge(guard: AddressGuard, socket: Socket): void {
    if (guard.admits(socket.remoteAddress, this.#reach)) return;
    socket.destroy(new NotPublicFault(this.#hostname, 'was reached at an address that is not public'));
  }
}
