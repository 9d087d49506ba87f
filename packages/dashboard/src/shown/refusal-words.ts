/** Why calls were refused, as people say it. */
import type { Shown } from '../api/client.ts';
import { wordsFor, type Choice } from './choices.ts';

type Reason = Pick<Shown<'RefusalsOfKey'>, 'code'> & Partial<Pick<Shown<'RefusalsOfKey'>, 'scope' | 'window'>>;

const words: Readonly<Record<string, string>> = {
  budget_exceeded: 'Budget reached',
  budget_unverifiable: 'Spend not confirmed',
  rate_limit_exceeded: 'Rate limit',
  unmetered_work_refused: 'Cost cannot be measured',
  model_not_allowed: 'Model not allowed',
  wrong_base_url: 'Base URL without /alt',
  run_expired: 'Run past its time limit',
  run_closed: 'Run closed',
  run_exposure_exhausted: 'No run budget left',
  run_envelope_zero: 'Run budget of zero',
  run_registry_full: 'Node full of runs',
  provider_key_missing: 'No provider key connected',
  provider_key_unavailable: 'Provider key not readable',
  unknown_url: 'Address not known',
  upstream_not_declared: 'No upstream declared',
  upstream_not_enabled: 'Upstream not enabled',
  upstream_token_unavailable: 'No token for the upstream',
  upstream_body_too_large: 'Body too large to be signed',
  invalid_run_id: 'Run id not valid',
  invalid_run_budget: 'Run budget not valid',
  invalid_run_ttl: 'Run time limit not valid',
  invalid_run_grant: 'Run grant not valid',
  invalid_api_key: 'Key revoked meanwhile',
  request_timeout: 'Request came too slowly',
  internal_error: 'Fault of the gateway',
};
const windows = {
  day: 'Daily',
  week: 'Weekly',
  month: 'Monthly',
  year: 'Yearly',
  lifetime: 'Lifetime',
} satisfies Record<Shown<'Cap'>['window'], string>;

/** Every reason, to choose from. */
export const refusalChoices: readonly Choice[] = Object.entries(words).map(([value, label]) => ({ value, label }));

/** Whether the gateway itself refuses with this code. */
export function isRefusalCode(code: string): boolean {
  return Object.hasOwn(words, code);
}

/** An unknown code is shown as it is. */
export function refusalWords({ code, scope = null, window = null }: Reason): string {
  const said = words[code] ?? code;
  if (scope === null || window === null) return said;
  const of = scope === 'run' ? 'Run' : `${wordsFor(windows, window)}${scope === 'organization' ? '' : ` ${scope}`}`;
  return `${of} ${said[0]!.toLowerCase()}${said.slice(1)}`;
}
