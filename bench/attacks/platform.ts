/** Attacks on the platform: the tap, the API, and what it does for an organization by itself. */
import { randomBytes } from 'node:crypto';
import { rawCall, RawConnection } from '@metergate/testkit/raw-client.ts';
import { bearer, inParallel, json, manage, pass, type Attacked } from './attacked.ts';
import { slowNameSuffix } from './slow-names.ts';

export type PlatformAttack = 'tap' | 'texts' | 'names' | 'holes' | 'doors' | 'exports' | 'reports';

const word = (bytes: number): string => randomBytes(bytes).toString('hex');

function tapEvent(more: object = {}): object {
  return {
    provider: 'openai', model: word(6), request_id: word(12), input_tokens: 1, output_tokens: 1, cached_tokens: 0, stop_reason: 'stop',
    tool_calls: 0, status: 200, retries: 0, latency_ms: 1, rate_limit: null, timestamp: new Date().toISOString(), tag: word(6),
    schema: 'svc-tap-v1', ...more,
  };
}

function postTap({ platformUrl, tapKey }: Attacked, body: string): Promise<unknown> {
  return rawCall(platformUrl, { target: '/tap/v1/events', headers: [bearer(tapKey), json], body });
}

/** Texts that are slow to read where a reader is not linear: most of a tap post's bound, or of a request's to the API. */
const longTexts: readonly string[] = [
  `1.${'0'.repeat(240_000)}1`, `1${'0'.repeat(240_000)}`, `"${'\\u0000'.repeat(40_000)}"`, '['.repeat(240_000), `"${' '.repeat(240_000)}x"`,
  `{${'"a":1,'.repeat(30_000)}"a":1}`, `"${'a@'.repeat(120_000)}"`, `"https://${'a.'.repeat(120_000)}"`,
];
let text = 0;
const nextText = (): string => longTexts[text++ % longTexts.length]!;

/** Fields of the API that hold text, a number, an address or a name. */
const textFields: readonly (readonly [string, string])[] = [
  ['/keys', 'name'], ['/views', 'name'], ['/invitations', 'email'], ['/webhooks', 'url'], ['/caps', 'limit'], ['/alerts', 'thresholds'],
];

/** Webhooks at these addresses, each of which gets a test event again and again. Those of an earlier attack are used again. */
async function hookAt(attacked: Attacked, urls: readonly string[]): Promise<void> {
  const listed = JSON.parse((await manage(attacked, 'GET', '/webhooks')).body.toString()) as { data: { id: string; url: string }[] };
  const ids = listed.data.filter(({ url }) => urls.includes(url)).map(({ id }) => id);
  for (const url of urls.slice(ids.length)) {
    const made = await manage(attacked, 'POST', '/webhooks', { url });
    if (made.status === 201) ids.push((JSON.parse(made.body.toString()) as { id: string }).id);
  }
  if (ids.length === 0) throw new Error('no webhook was made');
  let at = 0;
  inParallel(attacked, 4, { work: () => manage(attacked, 'POST', `/webhooks/${ids[at++ % ids.length]}/test`), pauseMs: 50 });
}

/** Asks for these in turn, four at once. */
function readAll(attacked: Attacked, targets: readonly string[], pauseMs: number): void {
  let at = 0;
  inParallel(attacked, 4, { work: () => manage(attacked, 'GET', targets[at++ % targets.length]!), pauseMs });
}

const exportsOf = ['jsonl', 'csv'].map((format) => `/exports?format=${format}&from=90d&to=now`);
const reports = [
  '/usage?by=key,label&since=90d', '/usage?by=project,label&since=90d', '/usage?by=day,model&since=90d', '/overview?since=90d',
  '/statements', '/calls?limit=1000', '/runs?limit=1000', '/caps/try?scope=organization&window=day&limit=0.01',
  '/usage?by=model&since=90d&prices=list',
];

async function sendTexts(attacked: Attacked): Promise<void> {
  const event = (value: string): string => JSON.stringify(tapEvent({ input_tokens: '@' })).replace('"@"', value);
  let field = 0;
  const toApi = (): Promise<unknown> => {
    const [path, name] = textFields[field++ % textFields.length]!;
    return manage(attacked, 'POST', path, `{"${name}":${nextText()}}`);
  };
  const toGateway = (): Promise<unknown> => rawCall(attacked.gatewayUrl, {
    target: '/v1/chat/completions', headers: [bearer(attacked.key), ['x-svc-tags', 'a,'.repeat(6_000)], ['x-svc-run-budget', '0'.repeat(300)]],
    body: '{}',
  });
  inParallel(attacked, 2, { work: () => postTap(attacked, `{"events":[${event(nextText())}]}`), pauseMs: 20 });
  inParallel(attacked, 2, { work: toApi, pauseMs: 20 });
  inParallel(attacked, 1, { work: toGateway, pauseMs: 20 });
}

/** Invitations, attempts to accept them, and sign-ins with wrong passwords from ever new addresses. */
async function knock(attacked: Attacked): Promise<void> {
  const ask = (target: string, body: object): Promise<unknown> => rawCall(attacked.platformUrl, {
    target: `/platform/v1${target}`, headers: [json, ['x-forwarded-for', `10.${randomBytes(3).join('.')}`]], body: JSON.stringify(body),
  });
  const invite = async (): Promise<void> => {
    const made = await manage(attacked, 'POST', '/invitations', { email: `${word(8)}@hog.example`, role: 'viewer' });
    if (made.status === 201) await manage(attacked, 'DELETE', `/invitations/${(JSON.parse(made.body.toString()) as { id: string }).id}`);
  };
  const accept = (): Promise<unknown> =>
    ask('/auth/invitations/accept', { token: word(32), email: `${word(8)}@hog.example`, password: word(16) });
  const signIn = (): Promise<unknown> => ask('/auth/sign-in/email', { email: `${word(8)}@hog.example`, password: word(16) });
  for (const work of [invite, accept, signIn]) inParallel(attacked, 2, { work, pauseMs: 50 });
}

/** Exports that are read, and some that are not. */
async function takeAway(attacked: Attacked): Promise<void> {
  readAll(attacked, exportsOf, 100);
  const unread = async (): Promise<void> => {
    const connection = await RawConnection.open(attacked.platformUrl, { keepBodies: false });
    connection.socket.on('error', () => {});
    connection.stopReading();
    connection.send(`GET /platform/v1${exportsOf[0]} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${attacked.token}\r\n\r\n`);
    await pass(8_000);
    connection.abort();
  };
  inParallel(attacked, 3, { work: unread, pauseMs: 500 });
}

async function floodTap(attacked: Attacked): Promise<void> {
  const batch = (): string => JSON.stringify({ events: Array.from({ length: 500 }, () => tapEvent()) });
  inParallel(attacked, 8, { work: () => postTap(attacked, batch()), pauseMs: 0 });
}

const eight = (urlOf: (at: number) => string): string[] => Array.from({ length: 8 }, (_, at) => urlOf(at));

export const platformAttacks: Readonly<Record<PlatformAttack, (attacked: Attacked) => Promise<void>>> = {
  tap: floodTap, texts: sendTexts, doors: knock, exports: takeAway,
  names: (attacked) => hookAt(attacked, eight((at) => `https://hook-${at}${slowNameSuffix}/hook`)),
  holes: (attacked) => hookAt(attacked, eight((at) => `${attacked.blackHoleUrl}/hook-${at}`)),
  reports: async (attacked) => readAll(attacked, reports, 50),
};
