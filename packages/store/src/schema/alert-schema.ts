/**
 * The tables of alerts and webhooks as TypeScript sees them.
 */
import type { Bytes, Whole, WholeOrNull } from './column.ts';

/** `at`: JSON array of percent. */
export interface CapAlertTable { readonly id: string; readonly organization: string; readonly cap: string; readonly at: string }

/** What was sent about a cap in the window that began at `window_start_ms`. `thresholds`: JSON array of percent. */
interface CapToldTable {
  readonly cap: string;
  readonly organization: string;
  readonly window_start_ms: Whole;
  readonly reached: Whole;
  readonly thresholds: string;
}

/** `events`: JSON array; null: all. `sealed`: the secret. */
export interface WebhookTable {
  readonly id: string;
  readonly organization: string;
  readonly url: string;
  readonly events: string | null;
  readonly sealed: Bytes;
  readonly created_at_ms: Whole;
}

/** `body`: the JSON that is sent, exactly as signed. */
interface NoticeTable {
  readonly id: string;
  readonly organization: string;
  readonly type: string;
  readonly dedupe: string;
  readonly body: string;
  readonly at_ms: Whole;
}

/** `state`: `pending`, `delivered`, `failed`. `next_at_ms`: null unless pending. */
interface WebhookDeliveryTable {
  readonly id: string;
  readonly organization: string;
  readonly webhook: string;
  readonly notice: string;
  readonly state: string;
  readonly attempts: Whole;
  readonly created_at_ms: Whole;
  readonly next_at_ms: WholeOrNull;
  readonly last_at_ms: WholeOrNull;
  readonly last_status: WholeOrNull;
  readonly last_error: string | null;
}

/** Work that only one platform does at a time. `cursor`: how far it has come, if the work has an order. */
interface WorkLeaseTable {
  readonly name: string;
  readonly holder: string;
  readonly until_ms: Whole;
  readonly cursor: Whole;
  /** Schema version that whoever first took it knows; null: older than 52. */
  readonly writer: WholeOrNull;
}

export interface AlertSchema {
  readonly cap_alert: CapAlertTable;
  readonly cap_told: CapToldTable;
  readonly webhook: WebhookTable;
  readonly notice: NoticeTable;
  readonly webhook_delivery: WebhookDeliveryTable;
  readonly work_lease: WorkLeaseTable;
}
