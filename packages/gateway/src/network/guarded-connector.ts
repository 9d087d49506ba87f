/**
 * Dials for a pool: directly for a named provider, through the address guard for a declared upstream. The name stays what
 * the certificate is checked against and what `Host` says; the address dialled is one that was judged.
 */
import { buildConnector } from 'undici';
import { NotPublicFault, type AddressGuard, type Reach } from '@metergate/store/network/address-guard.ts';
import { AnswerNames } from './answer-names.ts';
import { adjustResponseParser } from './undici-parser.ts';

interface ConnectorOptions {
  /** From the start of name resolution to the end of the TLS handshake, milliseconds. */
  readonly connectMs: number;
  /** Null: a destination the operator configured, dialled as it is. */
  readonly guard: AddressGuard | null;
  readonly reach: Reach;
  /** Certificate authorities to trust besides the runtime's; certificates are verified always. */
  readonly ca?: string | Buffer | undefined;
}

export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const dial = dialler(options);
  const names = new AnswerNames();
  return (target, done) => dial(target, (...outcome) => {
    done(...outcome);
    if (outcome[0] === null) adjustResponseParser(outcome[1], names);
  });
}

function dialler(options: ConnectorOptions): buildConnector.connector {
  const { guard, reach, connectMs } = options;
  const base: buildConnector.BuildOptions = { allowH2: false, timeout: connectMs, rejectUnauthorized: true, autoSelectFamily: true };
  if (options.ca !== undefined) Object.assign(base, { ca: options.ca });
  if (guard === null) return buildConnector(base);
  const dial = buildConnector({ ...base, lookup: guard.lookupFor(reach) } as buildConnector.BuildOptions);
  return (target, done) => {
    const refusal = guard.refuseLiteral(target.hostname, reach);
    if (refusal !== null) {
      process.nextTick(done, refusal, null);
      return;
    }
    dial(target, (fault, socket) => {
      if (fault !== null) {
        done(fault, null);
      } else if (guard.admits(socket.remoteAddress, reach)) {
        done(null, socket);
      } else {
        socket.on('error', () => {});
        socket.destroy();
        done(new NotPublicFault(target.hostname, 'was reached at an address that is not public'), null);
      }
    });
  };
}
