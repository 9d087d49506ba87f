/**
 * What a person reads after the start: how to go on. Secrets only where they were handed in, which is for a terminal alone.
 */
import type { Provider } from '@metergate/core/settings.ts';
import type { FirstStart } from './first-start.ts';

export interface QuickStart {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  readonly dataDirectory: string;
  readonly sandbox: boolean;
  readonly firstStart: FirstStart;
}

const displayName: { readonly [P in Provider]: string } = { openai: 'OpenAI', anthropic: 'Anthropic' };

const inviteOwner = 'npx --no-install metergate user invite --org default --role owner';

const sandboxLines = [
  'SANDBOX: answers are simulated on this machine. No provider is called and nothing costs anything.',
  'Its calls are recorded, priced and counted by caps like real ones. Keep them apart in a data directory of their own:',
  '  SVC_DATA_DIR=./sandbox npm start -- --sandbox', '',
];

/** Lines for standard error, each without its line end. */
export function quickStartLines({ gatewayUrl, platformUrl, dataDirectory, sandbox, firstStart }: QuickStart): string[] {
  const lines = [''];
  if (sandbox) lines.push(...sandboxLines);
  lines.push(...connectionLines(firstStart, sandbox));
  if (firstStart.ownerAwaited) lines.push(`No owner has joined yet. Make a new one-time link with: ${inviteOwner}`, '');
  if (!firstStart.first && firstStart.serviceKey === null && !sandbox) return lines;
  if (firstStart.first) lines.push(`Data is kept in ${dataDirectory}. Keep it safe: the master key in it opens your provider keys.`, '');
  if (firstStart.first) lines.push(...ownerLines(firstStart.ownerPath, platformUrl));
  const key = firstStart.serviceKey;
  if (key === null) {
    lines.push('Make a service key (it is shown once):', '  npx --no-install metergate key create --org default', '');
  } else {
    lines.push('Your first service key, shown this once:', `  ${key}`, '');
  }
  const shown = key ?? '$SERVICE_KEY';
  lines.push(
    'Base URLs:', `  OpenAI SDKs     ${gatewayUrl}/v1`, `  Anthropic SDKs  ${gatewayUrl}`, '',
    'Try it:', ...curl(gatewayUrl, shown), '',
    'See what was called:', '  npx --no-install metergate calls list --org default', '',
  );
  return lines;
}

function ownerLines(ownerPath: string | null, platformUrl: string): string[] {
  return ownerPath === null
    ? ['Make a one-time link for the first owner:', `  ${inviteOwner}`, '']
    : ['Open this once in a browser to become the first owner:', `  ${platformUrl}${ownerPath}`, ''];
}

function connectionLines({ connected, connectedFrom, first }: FirstStart, sandbox: boolean): string[] {
  if (sandbox) return [];
  if (connectedFrom.length > 0) return [`Connected for organization default: the keys in ${connectedFrom.join(' and ')}.`, ''];
  const names = connected.map((name) => displayName[name]).join(', ');
  if (connected.length > 0) return first ? [] : [`Connected for organization default: ${names}.`, ''];
  return [
    'No provider key is connected yet. Connect one (read from standard input):',
    '  printf \'%s\' "$OPENAI_API_KEY" | npx --no-install metergate provider connect openai --org default',
    'or try without one: npm start -- --sandbox', '',
  ];
}

function curl(gatewayUrl: string, key: string): string[] {
  return [
    `  curl ${gatewayUrl}/v1/chat/completions \\`,
    `    -H "Authorization: Bearer ${key}" \\`,
    '    -H "Content-Type: application/json" \\',
    `    -d '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}'`,
  ];
}
