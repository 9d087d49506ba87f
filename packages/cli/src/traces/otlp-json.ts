/**
 * Facts of ended calls → the JSON form of OTLP's ExportTraceServiceRequest. One span a call, named and described by OpenTelemetry's
 * conventions for generative AI where they have a name for it, else under `metergate.`. Pure.
 */
import { wires } from '@metergate/core/wire/wire.ts';
import type { Endpoint, Provider } from '@metergate/core/wire/wire.ts';
import type { SpanFacts } from '@metergate/gateway/traces/call-traces.ts';
import { connectionSpanOf } from '@metergate/gateway/traces/connection-span.ts';

type Attribute = { readonly key: string; readonly value: AttributeValue };
type AttributeValue =
  | { readonly stringValue: string } | { readonly intValue: string } | { readonly doubleValue: number } | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly { readonly stringValue: string }[] } };

export interface Resource {
  readonly serviceName: string;
  readonly version: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Where calls really go: a provider's address can be set, and the sandbox has another one too. */
  readonly providerUrls: Readonly<Record<Provider, string>>;
}

/** `randomHex`: so many bytes in hexadecimal, never all zero. */
export function traceRequest(
  spans: readonly SpanFacts[], { serviceName, version, attributes, providerUrls }: Resource, randomHex: (bytes: number) => string,
): unknown {
  return {
    resourceSpans: [{
      resource: { attributes: attributesOf({
        'service.name': serviceName, 'service.version': version, 'service.instance.id': spans[0]?.node ?? null, ...attributes,
      }) },
      scopeSpans: [{ scope: { name: 'metergate', version }, spans: spans.map((span) => spanOf(span, providerUrls, randomHex)) }],
    }],
  };
}

/** By the conventions: a client's span. */
const clientKind = 3;
const errorCode = 2;
const sampledFlag = 1;
/** Says of the span above whether it is one of another process, as the caller's is. */
const localFlags = 0x100;
const remoteFlags = 0x300;

function spanOf(facts: SpanFacts, providerUrls: Resource['providerUrls'], randomHex: (bytes: number) => string): unknown {
  const { startedAtMs, durationMs } = facts;
  const operation = operations[facts.endpoint];
  const startNano = BigInt(Math.round(startedAtMs)) * 1_000_000n;
  const error = errorOf(facts);
  return {
    ...placeOf(facts, randomHex),
    name: [operation ?? facts.endpoint, ...(facts.model === null ? [] : [facts.model])].join(' '),
    kind: clientKind,
    startTimeUnixNano: String(startNano),
    endTimeUnixNano: String(startNano + BigInt(Math.round((durationMs ?? 0) * 1_000)) * 1_000n),
    attributes: attributesOf({
      ...genAi(facts, operation), ...serverOf(facts, providerUrls), ...ownAttributes(facts), ...(error === null ? {} : { 'error.type': error }),
    }),
    status: error === null ? {} : { code: errorCode },
  };
}

function placeOf(facts: SpanFacts, randomHex: (bytes: number) => string): Record<string, string | number> {
  const { parent } = facts;
  const connection = connectionSpanOf(facts);
  const traceId = parent?.traceId ?? connection?.traceId ?? randomHex(16);
  if (connection?.isOwn === false) return { traceId, spanId: randomHex(8), parentSpanId: connection.spanId, flags: sampledFlag | localFlags };
  const own = { traceId, spanId: connection?.spanId ?? randomHex(8) };
  return parent === null ? { ...own, flags: sampledFlag } : { ...own, parentSpanId: parent.spanId, flags: sampledFlag | remoteFlags };
}

const operations: Readonly<Record<Endpoint, string | null>> = {
  'chat.completions': 'chat', completions: 'text_completion', embeddings: 'embeddings', responses: 'chat', messages: 'chat',
  models: null, other: null,
};

function genAi(facts: SpanFacts, operation: string | null): Record<string, Shown> {
  const { wire, model, finishReason, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = facts;
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': wires[wire].host === null ? null : wire,
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': finishReason === null ? null : [finishReason],
    'gen_ai.usage.input_tokens': wholeInput(facts),
    'gen_ai.usage.output_tokens': outputTokens,
    'gen_ai.usage.cache_read.input_tokens': cachedTokens,
    'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': reasoningTokens,
    'http.request.method': facts.method,
    'http.response.status_code': facts.status,
  };
}

/** Nothing for a declared upstream: its address belongs to the organization, and is no figure of a call. */
function serverOf({ wire }: SpanFacts, providerUrls: Resource['providerUrls']): Record<string, Shown> {
  if (wire === 'upstream') return {};
  const { protocol, hostname, port } = new URL(providerUrls[wire]);
  return { 'server.address': hostname.replace(/^\[|\]$/g, ''), 'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

/** The conventions count cached tokens as part of the input, on every wire. */
function wholeInput({ wire, inputTokens, cachedTokens, cacheWriteTokens }: SpanFacts): number | null {
  if (inputTokens === null || wires[wire].cachedInInput) return inputTokens;
  return inputTokens + (cachedTokens ?? 0) + (cacheWriteTokens ?? 0);
}

function ownAttributes(facts: SpanFacts): Record<string, Shown> {
  return {
    'metergate.request.id': facts.id, 'metergate.organization.id': facts.organization, 'metergate.key.id': facts.key,
    'metergate.wire': facts.wire, 'metergate.endpoint': facts.endpoint, 'metergate.outcome': facts.outcome, 'metergate.streamed': facts.streamed,
    'metergate.transport': facts.transport, 'metergate.connection.id': facts.connection,
    'metergate.usage': facts.usage, 'metergate.cost.source': facts.costSource, 'metergate.service_tier': facts.serviceTier,
    'metergate.provider.request_id': facts.providerRequestId, 'metergate.first_byte_ms': facts.firstByteMs,
    ...(facts.cost === null ? {} : { 'metergate.cost.usd': { double: Number(facts.cost) / 1e9 } }),
  };
}

function errorOf({ outcome, status }: SpanFacts): string | null {
  if (outcome !== 'completed') return outcome;
  return status !== null && status >= 400 ? String(status) : null;
}

type Shown = string | number | boolean | readonly string[] | { readonly double: number } | null;

function attributesOf(values: Readonly<Record<string, Shown>>): Attribute[] {
  return Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value: valueOf(value) }]));
}

function valueOf(value: NonNullable<Shown>): AttributeValue {
  switch (typeof value) {
    case 'string': return { stringValue: value };
    case 'boolean': return { boolValue: value };
    case 'number': return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    default: return 'double' in value ? { doubleValue: value.double } : { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
  }
}
