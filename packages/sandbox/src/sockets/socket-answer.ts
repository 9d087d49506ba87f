/** What a WebSocket connection's request is answered with. */
import type { SandboxAnswer } from '../sandbox-answer.ts';

/** The events of the answer to a body of the Responses API; null if it is none that can be answered. */
export type AnswerTo = (body: Buffer) => SandboxAnswer | null;
