/** The dialects that a named upstream may speak. Decision 151. */

/** Those that are read by a file of their own. */
export const ownDialects = ['gemini', 'bedrock-converse', 'bedrock-anthropic', 'cohere', 'ollama'] as const;
export type OwnDialect = (typeof ownDialects)[number];

/** What may be declared. `openai` and `anthropic` are told by the paths of the two wires, and else by the answer's own form. */
export const upstreamDialects = ['openai', 'anthropic', ...ownDialects] as const;
export type UpstreamDialect = (typeof upstreamDialects)[number];
