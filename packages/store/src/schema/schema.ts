/**
 * The tables as TypeScript sees them; `migrations/` makes them. Names are those of the database.
 * Whole numbers are 64-bit on both engines and read as `bigint`; flags are 0 and 1; times are milliseconds since the epoch;
 * money is nano-dollars.
 */
import type { Generated } from 'kysely';
import type { AlertSchema } from './alert-schema.ts';
import type { CorrectionSchema } from './correction-schema.ts';
import type { OperationSchema } from './operation-schema.ts';
import type { SignInSchema } from './sign-in-schema.ts';
import type { ReceiptSchema } from './receipt-schema.ts';
import type { ProofSchema } from './proof-schema.ts';
import type { RetentionSchema } from './retention-schema.ts';
import type { TapSchema } from './tap-schema.ts';
import type { DeferredWorkTable } from './work-schema.ts';
import type { LeaseSchema } from './lease-schema.ts';
import type { MonthSchema } from './month-schema.ts';
import type { RunSchema } from './run-schema.ts';
import type { UsageSchema } from './usage-schema.ts';
import type { Bytes, BytesOrNull, Whole, WholeOrNull } from './column.ts';

/** One row: which migrations have run. */
interface SchemaTable { readonly only: Whole; readonly version: Whole; readonly oldest_writer: Whole }

/** One row: how the store recognizes its master key. */
interface StoreIdentityTable { readonly only: Whole; readonly salt: Bytes; readonly fingerprint: string }

/** One row: the number of the latest change of settings. Its lock makes those changes commit in the order of their numbers. */
interface RevisionTable { readonly only: Whole; readonly value: Whole }

export interface OrganizationTable {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly drain_seconds: WholeOrNull;
  readonly fallback_input_nano: WholeOrNull;
  readonly fallback_output_nano: WholeOrNull;
  readonly enforce_key_caps: Generated<bigint>;
  readonly max_run_budget_nano: WholeOrNull;
  readonly run_ceiling_nano: WholeOrNull;
  readonly run_exposure_nano: WholeOrNull;
  readonly agreed_requests: WholeOrNull;
  readonly agreed_tokens: WholeOrNull;
  /** Records, tap events and sums older than this many days go; null: none go. */
  readonly keep_records_days: WholeOrNull;
  /** The rule for unmetered work; null: it is allowed. */
  readonly unmetered_deferred: string | null;
  readonly unmetered_unreported: string | null;
  readonly unmetered_handed_out: string | null;
  readonly unmetered_hidden: string | null;
  /** What becomes of calls that were meant for the other provider; null: they are forwarded. */
  readonly wrong_base_url: string | null;
  /** JSON array of patterns: the models that may be asked for; null: all. */
  readonly models: string | null;
  /** 1: the outcome of its work is asked for. */
  readonly follow: WholeOrNull;
  /** JSON object: what members may do about their own keys; null: what their role allows. */
  readonly own_keys: string | null;
  readonly created_at_ms: Whole;
  readonly revision: Whole;
}

interface OrganizationDataKeyTable { readonly organization: string; readonly wrapped: Bytes; readonly wrapped_by: string }

export interface ServiceKeyTable {
  readonly id: string;
  readonly organization: string;
  readonly hash: string;
  readonly prefix: string;
  readonly name: string | null;
  readonly project: string | null;
  readonly created_at_ms: Whole;
  readonly expires_at_ms: WholeOrNull;
  readonly revoked_at_ms: WholeOrNull;
  readonly max_run_budget_nano: WholeOrNull;
  /** As an organization's. */
  readonly models: Generated<string | null>;
  /** The member whose key it is; null: nobody's in particular. */
  readonly person: Generated<string | null>;
  readonly disabled_at_ms: WholeOrNull;
  /** The person who disabled it; null: it is not disabled, or whoever did it was no person that is known. */
  readonly disabled_by: Generated<string | null>;
  /** The `disabled_at_ms` that `disabled_by` is about. An older version writes that one alone: then the person is not who did it. */
  readonly disabled_by_at_ms: WholeOrNull;
  /** To the minute; null: never used, or not since this was introduced. */
  readonly last_used_at_ms: WholeOrNull;
}

/** The former form of a rotated key, which works until `until_ms`. */
interface FormerKeyTable { readonly hash: string; readonly key: string; readonly until_ms: Whole }

interface PasswordLinkTable {
  readonly token_hash: string;
  readonly person: string;
  readonly expires_at_ms: Whole;
  /** The organization whose owner made it, and that alone it is good for; null: the operator did. */
  readonly made_in: string | null;
}

interface ProviderConnectionTable { readonly organization: string; readonly provider: string; readonly sealed: Bytes; readonly version: Whole }

interface DeclaredUpstreamTable {
  readonly organization: string;
  readonly url: string;
  readonly enabled: Whole;
  /** Null: the destination needs no credential. */
  readonly sealed: BytesOrNull;
  readonly version: Whole;
}

interface PriceListTable {
  /** The list's day and hash, as records name it. */
  readonly id: string;
  readonly json: string;
  readonly imported_at_ms: Whole;
  /** 0 or 1. */
  readonly in_force: Whole;
  readonly revision: Whole;
}

/** As the one without a name; `auth`, `dialect` and `provider` are words. */
interface NamedUpstreamTable extends DeclaredUpstreamTable {
  readonly name: string;
  readonly auth: string;
  readonly dialect: string | null;
  readonly provider: string | null;
}

interface PriceOverlayTable { readonly only: Whole; readonly json: string; readonly revision: Whole }

interface JournalSegmentTable { readonly id: string; readonly mark: Whole; readonly writer: WholeOrNull }

/** How far the rows of one organization were shipped ahead of their segment's mark. */
interface JournalAheadTable { readonly segment: string; readonly organization: string; readonly mark: Whole }

export interface CallRecordTable {
  readonly sequence: Generated<bigint>;
  readonly id: string;
  readonly organization: string;
  readonly key: string;
  readonly project: string | null;
  /** JSON array of strings; null for none. */
  readonly labels: string | null;
  readonly labels_dropped: Whole;
  readonly run: string | null;
  readonly wire: string;
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  readonly started_at_ms: Whole;
  readonly node: string;
  readonly streamed: Whole;
  readonly status: WholeOrNull;
  readonly outcome: string;
  readonly model: string | null;
  readonly finish_reason: string | null;
  readonly input_tokens: WholeOrNull;
  readonly output_tokens: WholeOrNull;
  readonly cached_tokens: WholeOrNull;
  readonly cache_write_tokens: WholeOrNull;
  readonly reasoning_tokens: WholeOrNull;
  readonly usage: string;
  readonly usage_reason: string | null;
  readonly cost_nano: WholeOrNull;
  /** JSON array of names; null for none. */
  readonly cost_gaps: string | null;
  readonly service_tier: string | null;
  readonly audio_input_tokens: WholeOrNull;
  readonly audio_output_tokens: WholeOrNull;
  /** JSON object of counts. */
  readonly tool_calls: string | null;
  readonly cost_source: string;
  readonly cache_savings_nano: WholeOrNull;
  /** Its number in `attribution`. */
  readonly attribution: Whole;
  readonly price_list: string | null;
  readonly provider_request_id: string | null;
  readonly request_bytes: Whole;
  readonly response_bytes: Whole;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
  readonly requested_model: string | null;
  /** JSON object of numbers. */
  readonly units: string | null;
  /** Null: the usual basis of its `cost_source`. */
  readonly priced_by: string | null;
  /** Null: HTTP. */
  readonly transport: string | null;
  /** Id of the handshake's record. */
  readonly connection: string | null;
  /** What the caller's agent calls its session. */
  readonly session: string | null;
  /** Null: a forwarded call. */
  readonly kind: string | null;
  /** JSON array; null: none. */
  readonly works: string | null;
  readonly settles: string | null;
  /** Id of the settlement of this call's work; written when that comes, and no fact of the record's own. */
  readonly settled_by: string | null;
  /** The record's place in its organization's chain of receipts; null for a record older than receipts. */
  readonly receipt_sequence: WholeOrNull;
  readonly receipt_hash: BytesOrNull;
  /** Digest of the record's words. */
  readonly receipt_words: BytesOrNull;
}

interface PersonTable {
  readonly id: string;
  /** Unique; the person's id where the email is only claimed. */
  readonly email: string;
  /** An email that nobody has proved to the deployment; several people may claim the same. Null: `email` is proved. */
  readonly claimed_email: string | null;
  readonly name: string;
  readonly email_verified: Whole;
  readonly image: string | null;
  readonly created_at_ms: Whole;
  readonly updated_at_ms: Whole;
}

interface PersonCredentialTable {
  readonly id: string;
  readonly person: string;
  readonly provider: string;
  readonly account: string;
  readonly password_hash: string | null;
  /** How far it is proved to be the email's owner's: see `accounts/proofs.ts`. */
  readonly proof: Whole;
  readonly created_at_ms: Whole;
  readonly updated_at_ms: Whole;
}

interface PersonSessionTable {
  readonly id: string;
  readonly person: string;
  readonly token_hash: string;
  /** The organization chosen in this session; null: the person's first. */
  readonly organization: string | null;
  /** Issuer of the identity provider that vouched for the person; null: a password did. */
  readonly provided_by: string | null;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly expires_at_ms: Whole;
  readonly created_at_ms: Whole;
  readonly updated_at_ms: Whole;
}

interface MembershipTable {
  readonly organization: string;
  readonly person: string;
  readonly role: string;
  /** The issuer whose word it rests on; null: an invitation's, or the operator's. */
  readonly provided_by: string | null;
  readonly created_at_ms: Whole;
}

export interface InvitationTable {
  readonly id: string;
  readonly organization: string;
  readonly email: string | null;
  readonly role: string;
  readonly token_hash: string;
  readonly invited_by: string | null;
  readonly created_at_ms: Whole;
  readonly expires_at_ms: Whole;
  readonly accepted_at_ms: WholeOrNull;
  readonly withdrawn_at_ms: WholeOrNull;
}

export interface ManagementTokenTable {
  readonly id: string;
  readonly organization: string;
  readonly hash: string;
  readonly prefix: string;
  readonly name: string | null;
  readonly role: string;
  /** The person whose role bounds the token's; null: made by the operator. */
  readonly made_by_person: string | null;
  readonly created_at_ms: Whole;
  readonly expires_at_ms: WholeOrNull;
  readonly revoked_at_ms: WholeOrNull;
}

export interface AuditEventTable {
  readonly sequence: Generated<bigint>;
  readonly id: string;
  /** Null: the whole product. */
  readonly organization: string | null;
  readonly at_ms: Whole;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly action: string;
  readonly subject: string | null;
  /** JSON object. */
  readonly detail: string;
}

/** `done_ms` and `done_sequence`: the last of its call records that lost its words. `finished`: see `erasure.ts`. */
interface ErasedOrganizationTable {
  readonly organization: string;
  readonly at_ms: Whole;
  readonly done_ms: Whole;
  readonly done_sequence: Whole;
  readonly finished: Whole;
}

interface MasterKeyHandoverTable { readonly from_key: string; readonly sealed: Bytes; readonly until_ms: Whole }

/** One row of JSON text. */
interface ServerSettingsTable { readonly only: Whole; readonly settings: string }

/** One row. */
interface PlatformAddressTable { readonly only: Whole; readonly url: string }

export interface CapTable {
  readonly id: string;
  readonly organization: string;
  readonly scope: string;
  /** A key's id or a project; empty for the organization. */
  readonly subject: string;
  readonly window: string;
  readonly limit_nano: Whole;
  readonly mode: string;
  /** The revision that made it: the order of caps. */
  readonly made: Whole;
}

/** What was spent by one subject on one day, or on all its days together. */
interface SpendDayTable {
  readonly organization: string;
  readonly scope: string;
  /** As in `cap`. */
  readonly subject: string;
  /** 00:00 UTC; -1 for all days (`spend-days.ts`). */
  readonly day_ms: Whole;
  readonly spent_nano: Whole;
  readonly calls: Whole;
  /** Of `calls`, those whose usage is not known, in full or in part. */
  readonly unknown_calls: Whole;
  /** Of `calls`, those whose usage has no price. */
  readonly unpriced_calls: Generated<bigint>;
  /** Of `calls`, those whose cost lacks something that was reported. */
  readonly gap_calls: Whole;
  /** Of these, what stands for records that are gone for their age. */
  readonly gone_nano: Generated<bigint>;
  readonly gone_calls: Generated<bigint>;
  readonly gone_unknown_calls: Generated<bigint>;
  readonly gone_unpriced_calls: Generated<bigint>;
  readonly gone_gap_calls: Generated<bigint>;
}

export interface Schema extends RunSchema, LeaseSchema, TapSchema, UsageSchema, ReceiptSchema, AlertSchema, CorrectionSchema,
  RetentionSchema, ProofSchema, OperationSchema, MonthSchema, SignInSchema {
  readonly person: PersonTable;
  readonly person_credential: PersonCredentialTable;
  readonly person_session: PersonSessionTable;
  readonly membership: MembershipTable;
  readonly invitation: InvitationTable;
  readonly management_token: ManagementTokenTable;
  readonly audit_event: AuditEventTable;
  readonly erased_organization: ErasedOrganizationTable;
  readonly master_key_handover: MasterKeyHandoverTable;
  readonly metergate_schema: SchemaTable;
  readonly store_identity: StoreIdentityTable;
  readonly revision: RevisionTable;
  readonly organization: OrganizationTable;
  readonly organization_data_key: OrganizationDataKeyTable;
  readonly service_key: ServiceKeyTable;
  readonly service_key_former: FormerKeyTable;
  readonly password_link: PasswordLinkTable;
  readonly provider_connection: ProviderConnectionTable;
  readonly declared_upstream: DeclaredUpstreamTable;
  readonly named_upstream: NamedUpstreamTable;
  readonly price_overlay: PriceOverlayTable;
  readonly price_list: PriceListTable;
  readonly journal_segment: JournalSegmentTable;
  readonly journal_ahead: JournalAheadTable;
  readonly call_record: CallRecordTable;
  readonly deferred_work: DeferredWorkTable;
  readonly cap: CapTable;
  readonly platform_address: PlatformAddressTable;
  readonly server_settings: ServerSettingsTable;
  readonly spend_day: SpendDayTable;
}

/** A 64-bit figure of ours as a number; every such figure is below 2^53. */
export function numberOrNull(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}
