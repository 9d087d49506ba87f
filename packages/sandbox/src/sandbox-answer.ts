/** What a sandbox answer is made of, for every dialect. */
import type { SandboxRequest } from './sandbox-request.ts';
import type { ToolCall } from './answers/tool-call.ts';

/** One answer: a JSON document, or the events of a stream in order. */
export type SandboxAnswer =
  | { readonly kind: 'json'; readonly document: unknown }
  | { readonly kind: 'events'; readonly events: readonly SandboxEvent[]; readonly done: boolean };

export interface SandboxEvent {
  /** The SSE event name; null if the dialect uses none. */
  readonly name: string | null;
  readonly data: unknown;
}

/** What an operation makes its answer from. */
export interface Asked {
  readonly request: SandboxRequest;
  readonly text: string;
  /** The tool that is called instead of a text; null: a text. */
  readonly toolCall: ToolCall | null;
  /** Input tokens that the provider would have found in its cache, and those it would put there. */
  readonly cache: { readonly read: number; readonly written: number };
}

/** A fixed moment, so that sandbox answers are the same in every run. Seconds since the epoch. */
export const createdAtSeconds = 1_767_225_600;

/** About four bytes a token, of a body or a text: plausible, and the same in every run. */
export function tokensOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 4));
}

/** A text in the pieces of a stream. */
export function wordsOf(text: string): string[] {
  return text.split(/(?<= )/);
}

/** Tokens of the answer. */
export function outputTokens({ text, toolCall }: Asked): number {
  return tokensOf(toolCall === null ? text.length : toolCall.name.length + toolCall.arguments.length);
}
