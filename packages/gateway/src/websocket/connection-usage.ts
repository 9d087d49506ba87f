/**
 * What a connection itself has used, beside its responses: the seconds of a Live session, of which each report counts all so far, so that the last
 * one holds; and what is done in an API that is not read, which nobody reports.
 */
import type { SocketKind } from '@metergate/core/usage/socket-kind.ts';
import type { AdmittedCall } from '../call/admitted-call.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { CopyReader } from '../usage/copy-reader.ts';
import { eventBegin, eventEnd, eventOfModel, withoutLineEnds } from './event-text.ts';

export class ConnectionUsage {
  /** Null: nothing is due but for its responses. */
  readonly copy: CopyReader | null;

  constructor(node: GatewayNode, { route: { wire, endpoint }, held }: AdmittedCall, kind: SocketKind) {
    this.copy = kind !== 'live' && kind !== 'unread' ? null : node.createCopyReader({
      context: { wire, endpoint, streamed: true, without: kind === 'live' ? 'absent' : 'not_read' },
      contentEncoding: null, organization: held.organization.id,
    });
  }

  /** A report follows, in pieces. `model`: the session's; null if it was not named. */
  eventBegins(model: string | null): void {
    if (model !== null) this.copy?.push(eventOfModel(model));
    this.copy?.push(eventBegin);
  }

  /** More of its text. */
  read(text: Buffer): void {
    this.copy?.push(withoutLineEnds(text));
  }

  eventEnds(): void {
    this.copy?.push(eventEnd);
  }
}
