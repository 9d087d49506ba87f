/** The dialects that a named upstream may speak. Decision 151. */

const declaredOwn = ['gemini', 'bedrock-converse', 'bedrock-anthropic', 'cohere', 'ollama'] as const;
/** Those that are read by a file of their own. The last is recognized by its path alone: an upstream that speaks it also speaks Gemini's. */
export const ownDialects = [...declaredOwn, 'gemini-interactions'] as const;
export type OwnDialect = (typeof ownDialects)[number];

/** What may be declared. `openai` and `anthropic` are recognized by the paths of the two wires, otherwise by the form of the answer. */
export const upstreamDialects = ['openai', 'anthropic', ...declaredOwn] as const;
export type UpstreamDialect = (typeof upstreamDialects)[number];
