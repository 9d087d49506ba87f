/** What refused a call, and what would let the next one through: one sentence for each reason, and the page where it is done. */
import type { Shown } from '../api/client.ts';

type Refusal = Pick<Shown<'Refusal'>, 'code' | 'scope' | 'window'>;

interface Help {
  readonly words: string;
  /** The page where it is done, and for those who may not do it, who may; absent: it is done on the caller's side. */
  readonly page?: {
    readonly to: '/caps' | '/settings' | '/providers' | '/keys' | '/runs';
    readonly search?: { readonly new: 'grant' };
    readonly name: string;
    readonly who?: string;
  };
}

const limits = { to: '/caps', name: 'Caps & limits' } as const;
const caps = { ...limits, who: 'An admin changes caps.' } as const;
const settings = { to: '/settings', name: 'Settings', who: 'An admin changes the settings.' } as const;
const providers = { to: '/providers', name: 'Providers', who: 'An admin connects providers.' } as const;
const grants = { to: '/runs', search: { new: 'grant' }, name: 'how to mint one', who: 'An admin mints it.' } as const;
const keys = { to: '/keys', name: 'Service keys', who: 'An admin says which models are allowed.' } as const;

const windows: Readonly<Record<string, string>> = {
  day: 'the next day begins (00:00 UTC)',
  week: 'the next week begins (Monday, 00:00 UTC)',
  month: 'the next month begins (00:00 UTC)',
  year: 'the next year begins (00:00 UTC)',
};

const subjects: Readonly<Record<string, string>> = {
  organization: 'of the organization', key: 'of its key', person: "of its person's keys", label: 'of one of its labels',
};

const newRun = 'The run has ended for good. Begin another one, with a new x-svc-run-id';

const byCode: Readonly<Record<string, Help>> = {
  budget_unverifiable: {
    words: 'The node could not learn what is spent. Try again in a second. If it lasts, the store or the network between is away.',
  },
  rate_limit_exceeded: {
    words: 'Too many requests or tokens a minute. Send again after the seconds that Retry-After says, or ask for a larger plan.',
    page: limits,
  },
  run_expired: { words: `${newRun}, and a larger x-svc-run-ttl.` },
  run_closed: { words: `${newRun}. Somebody closed this one, or it had no call for a day.` },
  run_exposure_exhausted: {
    words: 'Live runs may spend no more together. Wait until some have ended, close some, or raise the bound.',
    page: settings,
  },
  run_envelope_zero: { words: 'The policy lets a run have no budget at all. Raise what a run may have, or send a grant.', page: settings },
  run_registry_full: { words: 'This node holds as many live runs as it can. Close runs that are done, or set SVC_RUN_REGISTRY_MAX higher.' },
  model_not_allowed: { words: 'Ask for another model, or allow this one for the key or the organization.', page: keys },
  unmetered_work_refused: {
    words: 'The usage of this call would not be known, and the settings refuse that. Ask for an answer with its usage, or allow such work.',
    page: settings,
  },
  provider_key_missing: { words: 'Connect a key of the provider.', page: providers },
  provider_key_unavailable: { words: 'The stored key of the provider cannot be read. Connect it again.', page: providers },
  upstream_not_declared: { words: 'Declare the upstream.', page: providers },
  upstream_not_enabled: { words: 'Enable the upstream.', page: providers },
  upstream_token_unavailable: { words: 'No token could be fetched with the credential of the upstream. Look at the credential.', page: providers },
  wrong_base_url: { words: 'Set the base URL of the Anthropic client to the one that ends in /alt.' },
  invalid_run_id: { words: 'Send an x-svc-run-id of 1 to 128 visible ASCII characters.' },
  invalid_run_budget: { words: 'Send x-svc-run-budget as US dollars, such as 2.50, together with a run id.' },
  invalid_run_ttl: { words: 'Send x-svc-run-ttl as whole seconds, together with a run id.' },
  invalid_run_grant: { words: 'The grant is for another run, has expired or was changed. Mint another one.' },
  request_timeout: { words: 'The request came too slowly. Send it again.' },
};

export function whatHelps({ code, scope, window }: Refusal): Help {
  if (code !== 'budget_exceeded') return byCode[code] ?? { words: 'The sentence in the answer says what to change.' };
  if (scope === 'run') return { words: `${newRun}, and a larger x-svc-run-budget. A grant allows more than the policy does.`, page: grants };
  const until = windows[window ?? ''];
  return {
    words: `A cap ${subjects[scope ?? ''] ?? ''} is reached. ${until === undefined ? 'Raise or remove it.' : `Raise it, or wait until ${until}.`}`,
    page: caps,
  };
}
