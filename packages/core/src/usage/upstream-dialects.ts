/**
 * The dialects of named upstreams, one value for each. Where the path names an operation of one, it is read as that; where it names none, as the
 * one that was declared. Decision 151.
 */
import type { Dialect } from './dialect.ts';
import { ownDialects, type OwnDialect, type UpstreamDialect } from './dialect-names.ts';
import { createConverseDialect } from './dialects/bedrock-converse.ts';
import { createCohereDialect } from './dialects/cohere.ts';
import { createGeminiDialect } from './dialects/gemini.ts';
import { createOllamaDialect } from './dialects/ollama.ts';
import { createInteractionsDialect } from './dialects/gemini-interactions.ts';
import { createMessagesDialect } from './messages-dialect.ts';

interface DialectFacts {
  /** Operations that no other dialect has, as plain paths of the first wire (`plainOperationOf`): their usage is due. */
  readonly reports: RegExp;
  /** Those whose answers may tell it. */
  readonly mayReport: RegExp | null;
  /** Whether no other provider has such a path; if one may, what was declared goes before it. */
  readonly isCertain: boolean;
  readonly create: () => Dialect;
}

export const dialectFacts: { readonly [Name in OwnDialect]: DialectFacts } = {
  gemini: {
    reports: /:(?:stream)?generatecontent$/, mayReport: /:(?:embedcontent|batchembedcontents)$/, isCertain: true, create: createGeminiDialect,
  },
  'gemini-interactions': { reports: /^\/v1\/interactions$/, mayReport: null, isCertain: true, create: createInteractionsDialect },
  'bedrock-converse': {
    reports: /\/model\/[^/]+(?:\/[^/]+)?\/converse(?:-stream)?$/, mayReport: null, isCertain: true, create: createConverseDialect,
  },
  'bedrock-anthropic': {
    reports: /\/model\/[^/]+(?:\/[^/]+)?\/invoke(?:-with-response-stream)?$/, mayReport: null, isCertain: true,
    create: () => createMessagesDialect(true),
  },
  cohere: {
    reports: /^\/v1\/chat$/, mayReport: /^\/v1\/(?:embed|rerank|classify|summarize|generate)$/, isCertain: false, create: createCohereDialect,
  },
  ollama: { reports: /^\/v1\/api\/(?:chat|generate|embed|embeddings)$/, mayReport: null, isCertain: false, create: createOllamaDialect },
};

/** The dialect that an answer is read in; null: of none of these. `plainOperation`: of a call to a named upstream. */
export function dialectOfOperation(plainOperation: string, declared: UpstreamDialect | null): OwnDialect | null {
  const byPath = ownDialects.find((name) => {
    const { reports, mayReport } = dialectFacts[name];
    return reports.test(plainOperation) || mayReport?.test(plainOperation) === true;
  }) ?? null;
  if (byPath !== null && dialectFacts[byPath].isCertain) return byPath;
  return declared === null ? byPath : ownDialects.find((name) => name === declared) ?? null;
}

/** Whether the path alone suggests this dialect, which others' answers at such a path are not in. */
export function isSuggested(dialect: OwnDialect | null, declared: UpstreamDialect | null): boolean {
  return dialect !== null && declared === null && !dialectFacts[dialect].isCertain;
}

/** Whether the usage of such an operation is due in its answer. */
export function reportsInOwnDialect(plainOperation: string): boolean {
  return ownDialects.some((name) => dialectFacts[name].reports.test(plainOperation));
}
