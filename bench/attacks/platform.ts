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

/** Webhooks at these addresses, each of which is told of a test again and again. */
async function hookAt(attacked: Attacked, urls: readonly string[]): Promise<void> {
  const ids: string[] = [];
  for (const url of urls) {
    const made = await manage(attacked, 'POST', '/webhooks', { url });
    if (made.status === 201) ids.push((JSON.parse(made.body.toString()) as { id: string }).id);
  }
  if (ids.length === 0) throw new Error('no webhook was made');
  let at = 0;
  inParallel(4, () => manage(attacked, 'POST', `/webhooks/${ids[at++ % ids.length]}/test`), 50);
}

const exportQuery = (format: string): string => `/exports?format=${format}&from=90d&to=now`;
const formats = ['jsonl', 'csv'];
const reports = [
  '/usage?by=key,label&since=90d', '/usage?by=project,label&since=90d', '/usage?by=day,model&since=90d', '/overview?since=90d',
  '/statements', '/calls?limit=1000', '/runs?limit=1000', '/caps/try?scope=organization&window=day&limit=0.01', '/usage?by=model&since=90d&prices=list',
];

export const platformAttacks: Readonly<Record<PlatformAttack, (attacked: Attacked) => Promise<unknown>>> = {
  async tap(attacked) {
    inParallel(8, () => postTap(attacked, JSON.stringify({ events: Array.from({ length: 500 }, () => tapEvent()) })), 0);
  },

  async texts(attacked) {
    const event = (value: string): string => JSON.stringify(tapEvent({ input_tokens: '@' })).replace('"@"', value);
    inParallel(2, () => postTap(attacked, `{"events":[${event(nextText())}]}`), 20);
    let field = 0;
    inParallel(2, () => {
      const [path, name] = textFields[field++ % textFields.length]!;
      return manage(attacked, 'POST', path, `{"${name}":${nextText()}}`);
    }, 20);
    inParallel(1, () => rawCall(attacked.gatewayUrl, {
      target: '/v1/chat/completions', headers: [bearer(attacked.key), ['x-svc-tags', 'a,'.repeat(6_000)], ['x-svc-run-budget', '0'.repeat(300)]], body: '{}',
    }), 20);
  },

  names: (attacked) => hookAt(attacked, Array.from({ length: 8 }, (_, at) => `https://hook-${at}${slowNameSuffix}/hook`)),

  holes: (attacked) => hookAt(attacked, Array.from({ length: 8 }, (_, at) => `${attacked.blackHoleUrl}/hook-${at}`)),

  /** Invitations, attempts to accept them, and sign-ins with wrong passwords from ever new addresses. */
  async doors(attacked) {
    const ask = (target: string, body: object): Promise<unknown> => rawCall(attacked.platformUrl, {
      target: `/platform/v1${target}`, headers: [json, ['x-forwarded-for', `10.${randomBytes(3).join('.')}`]], body: JSON.stringify(body),
    });
    inParallel(2, async () => {
      const made = await manage(attacked, 'POST', '/invitations', { email: `${word(8)}@hog.example`, role: 'viewer' });
      if (made.status === 201) await manage(attacked, 'DELETE', `/invitations/${(JSON.parse(made.body.toString()) as { id: string }).id}`);
    }, 50);
    inParallel(2, () => ask('/auth/invitations/accept', { token: word(32), email: `${word(8)}@hog.example`, password: word(16) }), 50);
    inParallel(2, () => ask('/auth/sign-in/email', { email: `${word(8)}@hog.example`, password: word(16) }), 50);
  },

  async exports(attacked) {
    let at = 0;
    inParallel(3, () => manage(attacked, 'GET', exportQuery(formats[at++ % formats.length]!)), 100);
    inParallel(3, async () => {
      const connection = await RawConnection.open(attacked.platformUrl, { keepBodies: false });
      connection.socket.on('error', () => {});
      connection.stopReading();
      connection.send(`GET /platform/v1${exportQuery('jsonl')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${attacked.token}\r\n\r\n`);
      await pass(8_000);
      connection.abort();
    }, 500);
  },

  async reports(attacked) {
    let at = 0;
    inParallel(4, () => manage(attacked, 'GET', reports[at++ % reports.length]!), 50);
  },
};
