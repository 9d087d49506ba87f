/**
 * OpenTelemetry's own variables → where spans of calls go and how many. Off unless an endpoint is named. Values meant for other programs are
 * ignored. A value that would silently lose all traces is refused with a sentence.
 */
import { withoutEnding } from '@metergate/core/json/without-ending.ts';
import type { Sampling } from '@metergate/gateway/traces/sampler.ts';
import type { TraceSettings } from './config.ts';
import { BadValue } from './values.ts';
import type { Environment } from './variables.ts';

/** Null: no traces. @throws BadValue */
export function tracesOf(env: Environment): TraceSettings | null {
  const url = urlOf(env);
  if (url === null || valueIn(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || valueIn(env, 'OTEL_TRACES_EXPORTER') === 'none') return null;
  const protocol = either(env, 'PROTOCOL');
  if (protocol !== null && !['http/json', 'http/protobuf'].includes(protocol)) {
    throw new BadValue('OTEL_EXPORTER_OTLP_PROTOCOL must be http/json or http/protobuf: traces are sent by OTLP over HTTP, as JSON.');
  }
  const resource = pairsOf('OTEL_RESOURCE_ATTRIBUTES', valueIn(env, 'OTEL_RESOURCE_ATTRIBUTES'));
  const { 'service.name': named, ...others } = resource;
  return {
    url, headers: { ...pairsOf('OTEL_EXPORTER_OTLP_HEADERS', either(env, 'HEADERS')) },
    timeoutMs: timeoutOf(env), gzip: either(env, 'COMPRESSION') === 'gzip', sampling: samplingOf(env),
    serviceName: valueIn(env, 'OTEL_SERVICE_NAME') ?? named ?? 'metergate', resource: others,
  };
}

/** The endpoint of traces as it is; the common one with the path of traces behind it. */
function urlOf(env: Environment): string | null {
  const own = valueIn(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const common = valueIn(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const text = own ?? common;
  if (text === null) return null;
  const name = own === null ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) throw new BadValue(`${name} must be a URL that begins with https:// or http://.`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw new BadValue(`${name} must not carry a password; use OTEL_EXPORTER_OTLP_HEADERS.`);
  return own === null ? `${withoutEnding(url.href, '/')}/v1/traces` : url.href;
}

function either(env: Environment, name: string): string | null {
  return valueIn(env, `OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? valueIn(env, `OTEL_EXPORTER_OTLP_${name}`);
}

function timeoutOf(env: Environment): number {
  const text = either(env, 'TIMEOUT') ?? '10000';
  if (!/^\d{1,7}$/.test(text) || Number(text) === 0) throw new BadValue('OTEL_EXPORTER_OTLP_TIMEOUT must be a whole number of milliseconds from 1.');
  return Number(text);
}

function samplingOf(env: Environment): Sampling {
  const name = valueIn(env, 'OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const [, parentBased, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? [];
  if (kind === undefined) {
    throw new BadValue('OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, or one of these after parentbased_.');
  }
  const given = valueIn(env, 'OTEL_TRACES_SAMPLER_ARG') ?? '1';
  if (kind === 'traceidratio' && !(Number(given) >= 0 && Number(given) <= 1)) {
    throw new BadValue('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.');
  }
  return { byParent: parentBased !== undefined, ratio: kind === 'always_on' ? 1 : kind === 'always_off' ? 0 : Number(given) };
}

/** `name=value` after commas, percent-encoded. The text is not repeated: it may hold a secret. */
function pairsOf(name: string, text: string | null): Record<string, string> {
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '').map((pair): [string, string] => {
    const [, key, value] = /^\s*([^=\s]+)\s*=(.*)$/.exec(pair) ?? [];
    try {
      if (key === undefined) throw new URIError();
      return [decodeURIComponent(key), decodeURIComponent(value!.trim())];
    } catch {
      throw new BadValue(`${name} must be name=value, more of them after commas, percent-encoded.`);
    }
  });
  return Object.fromEntries(pairs);
}

function valueIn(env: Environment, name: string): string | null {
  const value = env[name]?.trim();
  return value === undefined || value === '' ? null : value;
}
