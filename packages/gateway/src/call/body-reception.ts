/** What is known of a request when its body is to be received, and who waits for the body. No behaviour. */
import type { Route } from '@metergate/core/call/route.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import type { AskedInBody } from '@metergate/core/usage/later-work.ts';
import type { CallerRequest, CallerResponse, StreamedRequest } from '../callers/caller-exchange.ts';
import type { Connection } from '../callers/connections.ts';
import type { OutboundBody } from './admitted-call.ts';

export interface BodyReception {
  readonly request: CallerRequest;
  readonly response: CallerResponse;
  readonly connection: Connection;
  readonly route: Route;
  readonly organization: OrganizationId;
  /** The body is held, up to the bound, and read for what it asks to be done later: in these members. Null: it need not be. */
  readonly readsLater: AskedInBody | null;
  /** The same, to learn whether it asks for a stream without usage. */
  readonly readsHidden: boolean;
  /** The same, to learn which models it names. */
  readonly readsModels: boolean;
  /** The same, because it is signed: it is made one buffer. */
  readonly signs: boolean;
  /** Runs once, when the body can go out. Never runs when the caller leaves while a body is being held. */
  readonly ready: (body: OutboundBody) => void;
  /** Runs instead of `ready` if the body came too slowly, or ended too early. */
  readonly refused: (refusal: Refusal) => void;
  /** Runs instead of `ready` if our own code threw while the body was being held. */
  readonly broke: (cause: unknown) => void;
}

/** A request whose body is still coming. */
export interface StreamedReception extends BodyReception {
  readonly request: StreamedRequest;
}
