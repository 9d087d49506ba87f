/** The text after the start that says what to do next. It shows only the secrets passed to it, which a start does only at a terminal. */
import { wires } from '@metergate/core/wire/wire.ts';
import { inShell } from '../config/in-shell.ts';
import type { FirstStart } from './first-start.ts';
import type { KeptData } from './kept-data.ts';

interface QuickStart {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  readonly place: KeptData;
  readonly sandbox: boolean;
  /** Everything runs in this process. */
  readonly alone: boolean;
  /** Gateways run elsewhere, at addresses that nobody has set: `gatewayUrl` is a guess. */
  readonly gatewayUnknown: boolean;
  readonly firstStart: FirstStart;
}

/** A command as a user types it for this start. */
type Typed = (command: string) => string;

const inviteOwner = 'user invite --org default --role owner';

/** As it is typed in a checkout and beside the package from npm alike. */
const startSandbox = 'SVC_DATA_DIR=./sandbox npx --no-install metergate start --sandbox';

/** Whoever has set the data directory has chosen where it is. */
function sandboxLines({ prefix, variables }: KeptData): string[] {
  const chosen = prefix !== '' || variables.includes('SVC_DATABASE_URL');
  const recorded = 'Its calls are recorded, priced and counted by caps like real ones.';
  return [
    'SANDBOX: answers are simulated on this machine. No provider is called and nothing costs anything.',
    ...(chosen ? [`${recorded} Keep them apart from those.`]
      : [`${recorded} Keep them apart in a data directory of their own:`, `  ${startSandbox}`]), '',
  ];
}

const elsewhere = 'No gateway runs in this process. Put the address of yours in SVC_PUBLIC_GATEWAY_URL: until then, pages show this one.';

/** Lines for standard error, each without its line end. */
export function quickStartLines({ gatewayUrl, platformUrl, place, sandbox, alone, gatewayUnknown, firstStart }: QuickStart): string[] {
  const typed: Typed = (command) => `${place.prefix}npx --no-install metergate ${command}`;
  const lines = [''];
  if (sandbox) lines.push(...sandboxLines(place));
  lines.push(...connectionLines(firstStart, { sandbox, alone, typed }));
  if (firstStart.ownerAwaited) lines.push(`No owner has joined yet. Create a new one-time link with: ${typed(inviteOwner)}`, '');
  if (!firstStart.first && firstStart.serviceKey === null && !sandbox) return lines;
  if (firstStart.first) lines.push(place.sentence, '', ...ownerLines(firstStart.ownerPath, platformUrl, typed));
  const key = firstStart.serviceKey;
  if (key === null) {
    lines.push('Create a service key (it is shown once):', `  ${typed('key create --org default')}`, '');
  } else {
    lines.push('Your first service key, shown only once:', `  ${key}`, '');
  }
  const shown = key ?? '$SERVICE_KEY';
  lines.push(
    'Base URLs:', `  OpenAI SDKs     ${gatewayUrl}/v1`, `  Anthropic SDKs  ${gatewayUrl}/alt`, '',
    ...(gatewayUnknown ? [elsewhere, ''] : []),
    'Try it:', ...curl(gatewayUrl, shown), '',
    'See what was called:', `  ${typed('calls list --org default')}`, '',
  );
  if (place.variables.length > 0) lines.push(`Commands need ${place.variables.join(' and ')} as this start has ${them(place.variables)}.`, '');
  return lines;
}

/** The same for a log in JSON: each paragraph is one message. Examples to type are left out. */
export function asSentences(lines: readonly string[]): string[] {
  const paragraphs = lines.join('\n').split(/\n{2,}/).map((paragraph) => paragraph.trim());
  return paragraphs.filter((paragraph) => paragraph !== '' && !paragraph.startsWith('Try it:'))
    .map((paragraph) => paragraph.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' ')).join(' '));
}

function them({ length }: readonly string[]): string {
  return length === 1 ? 'it' : 'them';
}

function ownerLines(ownerPath: string | null, platformUrl: string, typed: Typed): string[] {
  return ownerPath === null
    ? ['Create a one-time link for the first owner:', `  ${typed(inviteOwner)}`, '']
    : ['Open this once in a browser to become the first owner:', `  ${platformUrl}${ownerPath}`, ''];
}

interface Beside {
  readonly sandbox: boolean;
  readonly alone: boolean;
  readonly typed: Typed;
}

function connectionLines({ connected, connectedFrom, first }: FirstStart, { sandbox, alone, typed }: Beside): string[] {
  if (sandbox) return [];
  if (connectedFrom.length > 0) return [`Connected for organization default: the keys in ${connectedFrom.join(' and ')}.`, ''];
  const names = connected.map((name) => wires[name].displayName).join(', ');
  if (connected.length > 0) return first ? [] : [`Connected for organization default: ${names}.`, ''];
  return [
    'No provider key is connected yet. Connect one (read from standard input):',
    `  printf '%s' "$OPENAI_API_KEY" | ${typed('provider connect openai --org default')}`,
    ...(alone ? [`or try without one: ${startSandbox}`] : []), '',
  ];
}

function curl(gatewayUrl: string, key: string): string[] {
  return [
    `  curl ${inShell(`${gatewayUrl}/v1/chat/completions`)} \\`,
    `    -H "Authorization: Bearer ${key}" \\`,
    '    -H "Content-Type: application/json" \\',
    `    -d '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}'`,
  ];
}
