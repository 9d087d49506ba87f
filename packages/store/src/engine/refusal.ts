/**
 * The store's refusals: why a request cannot be granted, in one sentence for the person who asked. Faults throw (`fault.ts`), refusals
 * return: a method that can refuse returns its result or a `StoreRefusal`, and `isRefusal` tells the two apart. A refusal changes nothing.
 * Its sentence never holds a secret.
 */

export type StoreRefusalCode =
  | 'invalid_name'
  | 'name_taken'
  | 'invalid_setting'
  | 'invalid_credential'
  | 'invalid_master_key'
  | 'invalid_email'
  | 'invalid_role'
  | 'forbidden'
  | 'email_taken'
  | 'email_not_verified'
  | 'already_member'
  | 'unknown_way_in'
  | 'last_way_in'
  | 'last_owner'
  | 'invitation_not_valid'
  | 'unknown_invitation'
  | 'unknown_member'
  | 'unknown_token'
  | 'unknown_person'
  | 'password_link_not_valid'
  | 'key_revoked'
  | 'unknown_organization'
  | 'unknown_key'
  | 'key_taken'
  | 'too_many_keys'
  | 'unknown_sign_in'
  | 'too_many_sign_ins'
  | 'sign_in_over'
  | 'unknown_cap'
  | 'unknown_call'
  | 'unknown_run'
  | 'no_receipts'
  | 'unknown_correction'
  /** What is to be changed is not as it was when the change was made up. */
  | 'changed_meanwhile'
  | 'credential_missing'
  | 'month_not_closed'
  /** Months are closed and reopened in their order. */
  | 'month_order'
  /** Another closing or reopening came between. */
  | 'month_changed'
  | 'unknown_cell'
  | 'cell_exists'
  | 'unknown_alert'
  | 'unknown_budget'
  | 'unknown_webhook'
  | 'too_many_webhooks'
  | 'unknown_view'
  | 'too_many_views'
  | 'invalid_grant'
  | 'unknown_baseline'
  | 'baseline_exists'
  | 'tap_key_already_shown'
  | 'tap_retired'
  | 'too_many_figures'
  | 'provider_not_connected'
  | 'upstream_not_declared';

/** The store refused; nothing was changed. */
export interface StoreRefusal {
  readonly refused: {
    readonly code: StoreRefusalCode;
    /** One sentence: what is wrong and what to do. */
    readonly message: string;
  };
}

/** A refusal in place of a result. */
export function refuse(code: StoreRefusalCode, message: string): StoreRefusal {
  return { refused: { code, message } };
}

/** A refusal of the store or of what is built on it. */
interface AnyRefusal {
  readonly refused: { readonly code: string; readonly message: string };
}

/** True if a method of the store, or a use case on top of it, returned its refusal in place of a result. */
export function isRefusal<Found extends AnyRefusal = AnyRefusal>(value: unknown): value is Found {
  return typeof value === 'object' && value !== null && 'refused' in value;
}
