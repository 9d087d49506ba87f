/**
 * What the person at the command can do about a refusal, by its code. It is kept apart from the refusal, because the refusal's sentence also
 * goes to people who have no command.
 */
import type { AdministrationRefusalCode } from '@metergate/platform/use-cases/refusal.ts';

const advice: { readonly [Code in AdministrationRefusalCode]?: string } = {
  unknown_organization: 'List them with: metergate org list',
  unknown_key: 'List them with: metergate key list --org ORG',
  unknown_cap: 'List them with: metergate cap list --org ORG',
  unknown_run: 'List them with: metergate run list --org ORG',
  unknown_token: 'List them with: metergate token list --org ORG',
  unknown_baseline: 'List them with: metergate baseline list --org ORG',
  unknown_person: 'List them with: metergate user list --org ORG',
  upstream_not_declared: 'Those with a name: metergate upstream list --org ORG. Declare one with: metergate upstream declare --org ORG --url URL',
  unknown_member: 'List members with: metergate user list --org ORG; invite with: metergate user invite --org ORG --email EMAIL --role ROLE',
  email_taken: 'Invite with: metergate user invite --org ORG --email EMAIL --role ROLE',
  credential_missing: 'Declare it with: metergate upstream declare --org ORG --name NAME --url URL [--auth none]',
  invalid_credential: 'The credential is read from standard input.',
  sandbox_placeholder: 'Connect a key with: metergate provider connect openai|anthropic --org ORG',
};

/** The refusal's sentence with what can be done about it. */
export function advised({ code, message }: { readonly code: AdministrationRefusalCode; readonly message: string }): string {
  const more = advice[code];
  return more === undefined ? message : `${message} ${more}`;
}
