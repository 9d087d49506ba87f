/**
 * Refusals of administration: a code for programs and one sentence for people. The store's refusals pass through as they are; the codes added
 * here are about input that never reaches the store. Refusals return, faults throw.
 */
import type { StoreRefusalCode } from '@metergate/store/engine/refusal.ts';

export { isRefusal } from '@metergate/store/engine/refusal.ts';

export type AdministrationRefusalCode =
  | StoreRefusalCode
  /** A field does not have the required form. */
  | 'invalid_input'
  | 'invalid_cursor'
  | 'invalid_password'
  /** The identity provider gives the person no role here. */
  | 'no_role'
  | 'wrong_password'
  | 'too_many_attempts'
  | 'provider_key_unreadable'
  | 'provider_unreachable'
  | 'gateway_unreachable'
  | 'sandbox_placeholder'
  | 'invalid_upstream_url'
  | 'invalid_webhook_url'
  | 'invalid_bill'
  | 'month_not_over'
  | 'month_closed'
  /** Calls of the month may still come. */
  | 'month_waiting'
  /** Records of the month are gone for their age. */
  | 'month_incomplete'
  | 'unknown_month'
  | 'unknown_refusal'
  /** There are no rules by which to allocate. */
  | 'no_allocation'
  /** Rules of allocation would split a month into more parts than may be. */
  | 'too_many_parts'
  | 'unknown_team'
  | 'invalid_price_file'
  | 'invalid_price_list'
  | 'store_not_empty';

/** The request was not granted; nothing was changed. The sentence never holds a secret. */
export interface AdministrationRefusal {
  readonly refused: { readonly code: AdministrationRefusalCode; readonly message: string };
}

/** A refusal in place of a result. The message is for the person who asked: it names what is wrong and holds no secret. */
export function refuseInput(code: AdministrationRefusalCode, message: string): AdministrationRefusal {
  return { refused: { code, message } };
}
