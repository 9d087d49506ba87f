/** The dialects that a named upstream may speak. Decision 151. */

const declaredOwn = ['gemini', 'bedrock-converse', 'bedrock-anthropic', 'cohere', 'ollama'] as const;
/** Those that are read by a file of their own. The last is told by its path alone: who speaks it speaks Gemini's beside it. */
export const ownDialects = [...declaredOwn, 'gemini-interactions'] as const;
export type OwnDialect = (typeof ownDialects)[number];

/** What may be declared. `openai` and `anthropic` are told by the paths of the two wires, and else by the answer's own form. */
export const upstreamDialects = ['openai', 'anthropic', ...declaredOwn] as const;
export type UpstreamDialect = (typeof upstreamDialects)[number];
