/** What both ends of a connection agreed on: none, or permessage-deflate (RFC 7692), the one extension that copies can be read with. */
import { allValues, type HeaderPairs } from '@metergate/core/call/header-pairs.ts';
import { extension, PerMessageDeflate, type ExtensionParameters } from 'ws';

export interface Compression {
  /** As the answer to the handshake names them. */
  readonly parameters: ExtensionParameters;
  /** A caller's message is compressed with the help of its earlier ones, so the provider could not read it if one of those was held back. */
  readonly callerKeepsContext: boolean;
}

/** Null: messages are not compressed. `unreadable`: the answer agrees to an extension whose messages cannot be read. */
export function compressionOf(answer: HeaderPairs): Compression | null | 'unreadable' {
  const header = allValues(answer, 'sec-websocket-extensions').join(', ');
  if (header.trim() === '') return null;
  try {
    const agreed = Object.entries(extension.parse(header));
    const [name, all] = agreed[0]!;
    const [parameters] = all;
    if (agreed.length !== 1 || name !== 'permessage-deflate' || all.length !== 1 || parameters === undefined) return 'unreadable';
    // Throws if the parameters are not valid.
    new PerMessageDeflate({ isServer: false, maxPayload: 0 }).accept([structuredClone(parameters)]);
    return { parameters, callerKeepsContext: !('client_no_context_takeover' in parameters) };
  } catch {
    return 'unreadable';
  }
}
