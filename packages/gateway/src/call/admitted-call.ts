/** The values that each stage adds to a call; no behaviour. authenticated (route, key) → admitted (destination, labels) → body. */
import type { Readable } from 'node:stream';
import type { BodyModels } from '@metergate/core/call/allowed-models.ts';
import type { Labels } from '@metergate/core/call/labels.ts';
import type { CredentialField } from '@metergate/core/call/header-pairs.ts';
import type { CredentialHeader } from '@metergate/core/wire/wire.ts';
import type { Route } from '@metergate/core/call/route.ts';
import type { RequestId } from '@metergate/core/id.ts';
import type { CallTransport } from '@metergate/core/record/call-record.ts';
import type { AskedOfBody } from '@metergate/core/usage/unmetered.ts';
import type { UpstreamDialect } from '@metergate/core/usage/dialect-names.ts';
import type { Provider } from '@metergate/core/wire/wire.ts';
import type { CredentialMaker } from '../credentials/made-credential.ts';
import type { Destination } from '../network/destination.ts';
import type { GuardedCall } from '../guards/guards.ts';
import type { TraceParent } from '../traces/trace-parent.ts';
import type { HeldKey } from '../guards/held-key.ts';

/** Where a call goes, with whose credential, and how its prices are found. */
export interface ChosenDestination {
  readonly destination: Destination;
  /** Path and query sent to the destination. */
  readonly target: string;
  readonly credential: CredentialHeader | null;
  /** Further fields that belong to the credential. */
  readonly beside: readonly CredentialField[];
  /** Makes the credential of each call once its body is here; null: it is the one above. */
  readonly maker: CredentialMaker | null;
  readonly provider: Provider | null;
  /** The region that the address names, or the path, or null. */
  readonly region: string | null;
  /** Host name of a declared upstream, the whole URL of a named one, or null. */
  readonly upstreamHost: string | null;
  /** The provider of the price list that a named upstream was declared to be, or null. */
  readonly listedAs: string | null;
  /** What a named upstream was declared to speak, or null. */
  readonly dialect: UpstreamDialect | null;
}

/** What is known of a call when its key is. */
export interface AuthenticatedCall {
  readonly id: RequestId;
  readonly method: string;
  readonly route: Route;
  /** SHA-256 of the service key, by which it is looked up again when a body has come. */
  readonly keyHash: string;
  readonly held: HeldKey;
  readonly transport: CallTransport;
  /** For a response on a WebSocket connection: the id of the call that opened the connection. */
  readonly connection: RequestId | null;
}

/** A call that its headers do not refuse; whether the limits admit it is decided on this. */
export interface AdmittedCall extends AuthenticatedCall, Labels, GuardedCall {
  readonly chosen: ChosenDestination;
  readonly project: string | null;
  /** What the caller's agent calls its session; null: it named none. */
  readonly session: string | null;
  /** For a WebSocket connection: its handshake asks for answers without usage (`hidesInHead`), which holds for all calls on it. */
  readonly hidesInHandshake: boolean;
  /** The caller's own span; null if it sent none, or traces are off. */
  readonly traceParent: TraceParent | null;
  /** Wall time of admission, which says what windows the call belongs to (rule 5a); 0 until then. */
  startedWallMs: number;
  readonly startedMonotonicMs: number;
}

/** A request body on its way to the destination. */
export interface OutboundBody extends AskedOfBody {
  /** Whole, in one piece or in several, or a stream. Null if there is none, or once a whole one was released. */
  readonly content: Uint8Array | readonly Uint8Array[] | Readable | null;
  /** Length of `content` where known; null: chunked. */
  readonly contentLength: number | null;
  /** The models that it names; also `unread` if nobody wanted to know. */
  readonly modelsAsked: BodyModels;
  /** The chat body was too large to be looked into and goes out untouched. */
  readonly overBound: boolean;
  /** The model that the body asks for, as far as it came; null: none that could be read. */
  requestedModel(): string | null;
  /** Body bytes received from the caller so far. */
  receivedBytes(): number;
  /** Runs once all of a whole one was handed to the system; null where nobody wants to know. */
  readonly written: (() => void) | null;
  /** Gives back what the body reserved of the budget for held bodies. Idempotent. */
  release(): void;
  /** The exchange is over: what the caller still sends is read and dropped. Idempotent. */
  drop(): void;
}
