/**
 * Simulates a provider's prompt cache. A prompt that is marked for caching (the second wire's `cache_control`) or long enough to be cached
 * automatically (the first wire) is written the first time and read after that. Only a few digests of prompts are kept.
 */
import { createHash } from 'node:crypto';
import { tokensOf } from './sandbox-answer.ts';
import { isFields, type SandboxRequest } from './sandbox-request.ts';
import type { SandboxWire } from './wire.ts';

/** The first wire caches prompts of at least this length, in steps. Tokens. */
const keptTokensMin = 1_024;
const keptTokensStep = 128;
const promptsMax = 10_000;

interface CachedTokens {
  readonly read: number;
  readonly written: number;
}

export interface PromptCache {
  /** Tokens read from the cache and written to it by this request. */
  look(wire: SandboxWire, request: SandboxRequest): CachedTokens;
}

export function createPromptCache(): PromptCache {
  const seen = new Set<string>();
  const knows = (prefix: string): boolean => {
    const digest = createHash('sha256').update(prefix).digest('base64');
    const known = seen.delete(digest);
    seen.add(digest);
    if (seen.size > promptsMax) seen.delete(seen.values().next().value!);
    return known;
  };
  return {
    look: (wire, request) => lookUp[wire](request, knows),
  };
}

/** How each provider caches prompts. `knows` says whether this prompt was seen before, and remembers it. */
const lookUp: Readonly<Record<SandboxWire, (request: SandboxRequest, knows: (prefix: string) => boolean) => CachedTokens>> = {
  /** Automatically, in steps, from a least length on. */
  openai({ model, body }, knows) {
    const prompt = JSON.stringify([body['instructions'], body['tools'], body['messages'] ?? body['input'] ?? body['prompt']]);
    const kept = Math.floor(tokensOf(prompt.length) / keptTokensStep) * keptTokensStep;
    if (kept < keptTokensMin) return { read: 0, written: 0 };
    return { read: knows(`${model} ${prompt.slice(0, keptTokensMin * 4)}`) ? kept : 0, written: 0 };
  },
  /** Only what the caller marked. */
  anthropic({ model, body }, knows) {
    const prefix = markedPrefix([body['tools'], body['system'], body['messages']]);
    if (prefix === null) return { read: 0, written: 0 };
    const tokens = tokensOf(prefix.length);
    return knows(`${model} ${prefix}`) ? { read: tokens, written: 0 } : { read: 0, written: tokens };
  },
};

/** Everything up to the last mark, as text; null if nothing is marked. */
function markedPrefix(parts: readonly unknown[]): string | null {
  const whole: string[] = [];
  let marked = 0;
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (isFields(value)) {
      for (const [name, each] of Object.entries(value)) if (name !== 'cache_control') walk(each);
      if (isFields(value['cache_control'])) marked = whole.length;
    } else whole.push(JSON.stringify(value) ?? '');
  };
  walk(parts);
  return marked === 0 ? null : whole.slice(0, marked).join('');
}
