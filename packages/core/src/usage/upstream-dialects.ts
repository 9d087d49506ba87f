/** The dialects that a named upstream may be declared to speak where its paths and answers do not tell. Decision 150. */
export const upstreamDialects = ['openai', 'anthropic', 'gemini', 'bedrock-converse', 'bedrock-anthropic', 'cohere', 'ollama'] as const;
export type UpstreamDialect = (typeof upstreamDialects)[number];
