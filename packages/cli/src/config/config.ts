/**
 * The product's settings as read from the environment, checked and with defaults. docs/settings.md lists them.
 * `read-config.ts` reads the environment; nothing else reads a variable.
 */
import type { Provider } from '@metergate/core/wire/wire.ts';
import type { JournalSync } from '@metergate/store/journal/segment.ts';
import type { PriceFeedSettings } from '@metergate/platform/price-feed/feed-work.ts';
import type { OidcSettings } from '@metergate/platform/auth/oidc/oidc-settings.ts';
import type { Sampling } from '@metergate/gateway/traces/sampler.ts';
import type { LogLevel } from '../log/log.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0 to 65535; 0: any free port. */
  readonly port: number;
}

/** Where spans of calls go, and how many. */
export interface TraceSettings {
  readonly url: string;
  /** Names and values; may hold a secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly gzip: boolean;
  readonly sampling: Sampling;
  readonly serviceName: string;
  readonly resource: Readonly<Record<string, string>>;
}

export interface Config {
  readonly gateway: ListenAddress;
  readonly platform: ListenAddress;
  readonly ops: ListenAddress;
  /** Absolute path. */
  readonly dataDirectory: string;
  /** `sqlite:/absolute/path` or `postgres://…`; carries a password, so it is never printed whole. */
  readonly databaseUrl: string;
  /** A read replica that reports read from; null: the store itself. Carries a password too. */
  readonly reportsDatabaseUrl: string | null;
  /** 32 bytes, where `SVC_MASTER_KEY` is set; else the file in the data directory is used. */
  readonly masterKey: Uint8Array | null;
  readonly providerUrls: Readonly<Record<Provider, string>>;
  /** CIDRs. */
  readonly upstreamAllow: readonly string[];
  /** CIDRs whose `X-Forwarded-For` is believed, by the platform only. */
  readonly trustedProxies: readonly string[];
  /** Signing in by an identity provider; null: off. */
  readonly oidc: OidcSettings | null;
  /** The public price list that is asked for daily; null: off. Its address may hold a secret. */
  readonly priceFeed: PriceFeedSettings | null;
  readonly journalSync: JournalSync;
  readonly runRegistryMax: number;
  readonly heldBodiesMb: number;
  /** The headers in which agents tell their sessions, in lower case. */
  readonly sessionHeaders: readonly string[];
  readonly graceSeconds: number;
  /** Null: JSON off a terminal, text on one. */
  readonly logFormat: 'json' | 'text' | null;
  readonly logLevel: LogLevel;
  /** One line for each call and refusal, without content. */
  readonly accessLog: boolean;
  /** The node makes calls to itself, to see whether it forwards. */
  readonly ownCalls: boolean;
  /** Null: no spans of calls are sent. */
  readonly traces: TraceSettings | null;
  /** Without a trailing slash; null: from host and port. */
  readonly publicGatewayUrl: string | null;
  readonly publicPlatformUrl: string | null;
}
