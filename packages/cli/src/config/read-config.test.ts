/** Every setting's default and form, and one clear sentence for each bad value that repeats no secret. Rules: Interfaces. */
import assert from 'node:assert/strict';
import { sessionHeadersDefault } from '@metergate/core/call/session.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from './read-config.ts';
import type { Environment } from './variables.ts';

const key = Buffer.alloc(32, 7).toString('base64');

function configOf(env: Environment) {
  const read = readConfig(env, '/srv/app');
  assert.ok('config' in read, 'refusal' in read ? read.refusal : '');
  return read.config;
}

test('rules: Interfaces: with no variable set, every setting has its default', () => {
  assert.deepEqual(configOf({ PATH: '/bin', OPENAI_API_KEY: 'x' }), {
    gateway: { host: '127.0.0.1', port: 8080 }, platform: { host: '127.0.0.1', port: 8081 }, ops: { host: '127.0.0.1', port: 8082 },
    dataDirectory: '/srv/app/data', databaseUrl: 'sqlite:/srv/app/data/metergate.db', reportsDatabaseUrl: null, masterKey: null,
    providerUrls: { openai: 'https://api.openai.com', anthropic: 'https://api.anthropic.com' }, upstreamAllow: [],
    journalSync: 'normal', runRegistryMax: 100_000, heldBodiesMb: 256, sessionHeaders: sessionHeadersDefault,
    graceSeconds: 30, trustedProxies: [], oidc: null, priceFeed: null,
    logFormat: null, logLevel: 'info', accessLog: false, ownCalls: true, traces: null,
    publicGatewayUrl: null, publicPlatformUrl: null,
  });
});

test('rules: Interfaces: each variable is taken in its form', () => {
  const config = configOf({
    SVC_HOST: '0.0.0.0', SVC_OPS_HOST: '127.0.0.1', SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '9001', SVC_DATA_DIR: '../state',
    SVC_DATABASE_URL: 'sqlite:calls.db', SVC_MASTER_KEY: key, SVC_OPENAI_URL: 'http://127.0.0.1:9/', SVC_ANTHROPIC_URL: 'HTTPS://Example.com:443',
    SVC_UPSTREAM_ALLOW: '10.0.0.0/8, fd00::/8 192.168.1.7', SVC_JOURNAL_SYNC: 'full', SVC_RUN_REGISTRY_MAX: '5',
    SVC_HELD_BODIES_MB: '64', SVC_GRACE_SECONDS: '0', SVC_PUBLIC_GATEWAY_URL: 'https://llm.example.com/', SVC_PUBLIC_PLATFORM_URL: '',
  });
  assert.deepEqual([config.gateway, config.platform, config.ops], [
    { host: '0.0.0.0', port: 0 }, { host: '0.0.0.0', port: 9001 }, { host: '127.0.0.1', port: 8082 },
  ]);
  assert.equal(config.dataDirectory, '/srv/state');
  assert.equal(config.databaseUrl, 'sqlite:/srv/app/calls.db');
  assert.deepEqual(config.masterKey, new Uint8Array(32).fill(7));
  assert.deepEqual(config.providerUrls, { openai: 'http://127.0.0.1:9', anthropic: 'https://example.com' });
  assert.deepEqual(config.upstreamAllow, ['10.0.0.0/8', 'fd00::/8', '192.168.1.7']);
  assert.deepEqual([config.journalSync, config.runRegistryMax, config.heldBodiesMb, config.graceSeconds], ['full', 5, 64, 0]);
  assert.deepEqual([config.publicGatewayUrl, config.publicPlatformUrl], ['https://llm.example.com', null]);
});

test('traces: off without an endpoint; the endpoint of traces is taken as it is, the common one gets their path', () => {
  const common = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
  assert.deepEqual(configOf(common).traces, {
    url: 'http://collector:4318/v1/traces', headers: {}, timeoutMs: 10_000, gzip: false, sampling: { byParent: true, ratio: 1 },
    serviceName: 'metergate', resource: {},
  });
  const all = configOf({
    ...common, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x.example/otlp', OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc, x-scope = a',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '500', OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=gw,deployment.environment.name=test', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  }).traces;
  assert.deepEqual(all, {
    url: 'https://x.example/otlp', headers: { authorization: 'Basic abc', 'x-scope': 'a' }, timeoutMs: 500, gzip: true,
    sampling: { byParent: false, ratio: 0.1 }, serviceName: 'gw', resource: { 'deployment.environment.name': 'test' },
  });
  for (const off of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }]) assert.equal(configOf({ ...common, ...off }).traces, null);
  assert.equal(configOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).traces, null, 'what is set for others stops nothing');
});

test('a secret may lie in a file, whose line end does not count', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-secrets-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'url'), 'postgres://u:p@db/x\n');
  writeFileSync(join(folder, 'key'), `${key}\r\n`);
  writeFileSync(join(folder, 'empty'), '\n');
  const files = { SVC_DATABASE_URL_FILE: join(folder, 'url'), SVC_MASTER_KEY_FILE: join(folder, 'key') };
  const config = configOf({ ...files, SVC_REPORTS_DATABASE_URL: 'postgres://u:p@replica/x' });
  assert.deepEqual([config.databaseUrl, config.reportsDatabaseUrl], ['postgres://u:p@db/x', 'postgres://u:p@replica/x']);
  assert.deepEqual(config.masterKey, new Uint8Array(32).fill(7));
  const refused = (env: Environment): string => {
    const read = readConfig(env, '/srv/app');
    return 'refusal' in read ? read.refusal : '';
  };
  assert.match(refused({ ...files, SVC_MASTER_KEY: key }), /^SVC_MASTER_KEY and SVC_MASTER_KEY_FILE are both set/);
  assert.match(refused({ SVC_MASTER_KEY_FILE: 'nowhere' }), /SVC_MASTER_KEY_FILE names \/srv\/app\/nowhere, which cannot be read \(ENOENT\)/);
  assert.match(refused({ SVC_MASTER_KEY_FILE: join(folder, 'empty') }), /holds no secret/);
  assert.match(refused({ SVC_MASTER_KEY_FILE: join(folder, 'url') }), /^SVC_MASTER_KEY must be 32 bytes/);
  assert.match(refused({ SVC_REPORTS_DATABASE_URL: 'postgres://u:p@replica/x' }), /^SVC_REPORTS_DATABASE_URL must be postgres/);
});

const secret = 'hunter2-secret';
const oidc = {
  SVC_OIDC_ISSUER: 'https://id.example/realms/x', SVC_OIDC_CLIENT_ID: 'metergate', SVC_OIDC_CLIENT_SECRET: secret,
  SVC_OIDC_ROLE_CLAIM: 'https://x.example/roles',
};
const refusals: readonly (readonly [env: Environment, sentence: RegExp])[] = [
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL must be http\/json/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, /OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 'hunter2-secret' }, /OTEL_EXPORTER_OTLP_HEADERS must be name=value/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /OTEL_TRACES_SAMPLER must be/],
  [{ SVC_GATWAY_PORT: '1' }, /Unknown variable SVC_GATWAY_PORT.*SVC_GATEWAY_PORT\?/],
  [{ SVC_SOMETHING_ELSE: '1' }, /Unknown variable SVC_SOMETHING_ELSE/],
  [{ SVC_PRICES_URL: `ftp://${secret}/x` }, /SVC_PRICES_URL must be the https URL of a file\.$/],
  [{ SVC_PRICES_URL: `http://${secret}/x` }, /SVC_PRICES_URL must be an https URL\. http is for addresses that SVC_UPSTREAM_ALLOW opens/],
  [{ SVC_PRICES_SHA256_URL: 'https://x/y' }, /SVC_PRICES_SHA256_URL is set, but SVC_PRICES_URL is not/],
  [{ SVC_GATEWAY_PORT: '65536' }, /SVC_GATEWAY_PORT must be a whole number from 0 to 65535, not 65536/],
  [{ SVC_OPS_PORT: '80.5' }, /SVC_OPS_PORT/], [{ SVC_PLATFORM_PORT: '-1' }, /SVC_PLATFORM_PORT/], [{ SVC_GATEWAY_PORT: '0x50' }, /SVC_GATEWAY_PORT/],
  [{ SVC_GATEWAY_PORT: '8081' }, /SVC_GATEWAY_PORT and SVC_PLATFORM_PORT are both 8081/],
  [{ SVC_HOST: 'http://localhost' }, /SVC_HOST must be an IP address or a host name/], [{ SVC_OPS_HOST: '1.2.3' }, /SVC_OPS_HOST/],
  [{ SVC_DATABASE_URL: `mysql://root:${secret}@db/x` }, /SVC_DATABASE_URL must be sqlite:PATH or postgres/],
  [{ SVC_DATABASE_URL: 'sqlite:' }, /SVC_DATABASE_URL/],
  [{ SVC_DATABASE_URL: `postgres://u:${secret}@db/x` }, /SVC_MASTER_KEY must be set when SVC_DATABASE_URL is PostgreSQL/],
  [{ SVC_MASTER_KEY: secret }, /SVC_MASTER_KEY must be 32 bytes in base64/],
  [{ SVC_OPENAI_URL: 'api.openai.com' }, /SVC_OPENAI_URL must be a URL/], [{ SVC_OPENAI_URL: 'ftp://x' }, /SVC_OPENAI_URL/],
  [{ SVC_OPENAI_URL: 'https://api.openai.com/v1' }, /SVC_OPENAI_URL.*without path.*https:\/\/api\.openai\.com$/],
  [{ SVC_ANTHROPIC_URL: `https://u:${secret}@x.example` }, /SVC_ANTHROPIC_URL must not carry a user name or password/],
  [{ SVC_ANTHROPIC_URL: 'https://x.example?' }, /SVC_ANTHROPIC_URL/], [{ SVC_OPENAI_URL: 'tcp://10.0.0.1:80' }, /SVC_OPENAI_URL/],
  [{ SVC_UPSTREAM_ALLOW: '10.0.0.0/8,10.0.0.0/33' }, /SVC_UPSTREAM_ALLOW: "10\.0\.0\.0\/33"/],
  [{ SVC_JOURNAL_SYNC: 'on' }, /SVC_JOURNAL_SYNC must be normal or full, not on/],
  [{ SVC_GRACE_SECONDS: '30s' }, /SVC_GRACE_SECONDS/], [{ SVC_HELD_BODIES_MB: '0' }, /SVC_HELD_BODIES_MB/],
  [{ SVC_SESSION_HEADERS: 'a b' }, /SVC_SESSION_HEADERS must be names of headers/],
  [{ SVC_SESSION_HEADERS: 'x-a,Authorization' }, /SVC_SESSION_HEADERS must not name a header that carries a credential/],
  [{ SVC_RUN_REGISTRY_MAX: '1e5' }, /SVC_RUN_REGISTRY_MAX/],
  [{ SVC_PUBLIC_GATEWAY_URL: 'llm.example.com' }, /SVC_PUBLIC_GATEWAY_URL/], [{ SVC_PUBLIC_PLATFORM_URL: 'https://x.example/?a=1' }, /SVC_PUBLIC/],
  [{ ...oidc, SVC_OIDC_ISSUER: undefined }, /needs all of its settings: SVC_OIDC_ISSUER is not set/],
  [{ SVC_OIDC_CLIENT_SECRET: secret }, /SVC_OIDC_ISSUER, SVC_OIDC_CLIENT_ID, SVC_OIDC_ROLE_CLAIM are not set/],
  ...[
    'http://id.example', 'id.example', 'https://id.example?x=1', 'https://id.example#', `https://u:${secret}@id.example`,
    'ftp://id.example', 'https://',
    'http://127.0.0.1.evil.example', 'http://localhost.evil.example', 'http://10.0.0.1',
  ].map((issuer) => [{ ...oidc, SVC_OIDC_ISSUER: issuer }, /SVC_OIDC_ISSUER must be a URL that begins with https/] as const),
  [{ ...oidc, SVC_OIDC_CLIENT_ID: 'é' }, /SVC_OIDC_CLIENT_ID/], [{ ...oidc, SVC_OIDC_CLIENT_SECRET: `${secret}é` }, /SVC_OIDC_CLIENT_SECRET/],
  [{ ...oidc, SVC_OIDC_ROLE_CLAIM: 'a b' }, /SVC_OIDC_ROLE_CLAIM/],
  [{ ...oidc, SVC_OIDC_SESSION_HOURS: '0' }, /SVC_OIDC_SESSION_HOURS must be a whole number from 1 to 720, not 0/],
  [{ ...oidc, SVC_OIDC_SIGN_OUT: 'off' }, /SVC_OIDC_SIGN_OUT must be provider or here, not off/],
  [{ ...oidc, SVC_OIDC_EMAILS: 'on' }, /SVC_OIDC_EMAILS must be verified or trusted, not on/],
  [{ SVC_OIDC_SESSION_HOURS: '8' }, /needs all of its settings: SVC_OIDC_ISSUER, /],
];

test('rules: Interfaces: an identity provider is taken whole: https, or http on this machine', () => {
  assert.deepEqual(configOf(oidc).oidc,
    { issuer: 'https://id.example/realms/x', clientId: 'metergate', clientSecret: secret, roleClaim: 'https://x.example/roles',
      sessionMs: 12 * 3_600_000, signOutThere: true, emailsTrusted: false });
  const changed = configOf({ ...oidc, SVC_OIDC_SESSION_HOURS: '1', SVC_OIDC_SIGN_OUT: 'here', SVC_OIDC_EMAILS: 'trusted' }).oidc;
  assert.deepEqual([changed?.sessionMs, changed?.signOutThere, changed?.emailsTrusted], [3_600_000, false, true]);
  for (const issuer of ['http://localhost:8090', 'http://127.0.0.1:1', 'http://[::1]:1', 'https://id.example/']) {
    assert.equal(configOf({ ...oidc, SVC_OIDC_ISSUER: issuer }).oidc?.issuer, issuer);
  }
});

test('rules: Interfaces: an unknown variable or a bad value is one sentence that names it and repeats no secret', () => {
  for (const [env, sentence] of refusals) {
    const read = readConfig(env, '/srv/app');
    assert.ok('refusal' in read, JSON.stringify(env));
    assert.match(read.refusal, sentence);
    assert.doesNotMatch(read.refusal, new RegExp(secret));
    assert.doesNotMatch(read.refusal, /\n/);
  }
});

test("rules: Interfaces: the tap's variables and addresses that a container platform injects are nobody's mistake", () => {
  const config = configOf({
    SVC_TAP_KEY: 'x', SVC_WEB_PORT_80_TCP: 'tcp://10.0.0.1:80', SVC_GATEWAY_PORT: 'tcp://10.0.0.1:80',
    // What Kubernetes injects for services named svc, svc-gateway and svc-names.
    SVC_SERVICE_HOST: '10.0.0.1', SVC_SERVICE_PORT: '80', SVC_SERVICE_PORT_HTTP: '80', SVC_PORT: 'tcp://10.0.0.1:80', SVC_PORT_80_TCP_PROTO: 'tcp',
    SVC_PORT_80_TCP_PORT: '80', SVC_PORT_80_TCP_ADDR: '10.0.0.1', SVC_GATEWAY_SERVICE_HOST: '10.0.0.2', SVC_GATEWAY_PORT_8080_TCP_ADDR: '10.0.0.2',
    SVC_NAMES_PORT: 'udp://10.0.0.3:53', SVC_NAMES_PORT_53_UDP: 'udp://10.0.0.3:53', SVC_NAMES_PORT_53_UDP_PROTO: 'udp',
  });
  assert.equal(config.gateway.port, 8080);
  assert.ok('refusal' in readConfig({ SVC_SERVICE_HOSTS: '10.0.0.1' }, '/srv/app'));
});
