/** What a scripted provider answers agents with: first a call of a tool, then, once its result has come, a message. */
import type { Asked, OutputItem } from '@metergate/testkit/websocket/responding-provider.ts';

export interface ToolCall { readonly name: string; readonly arguments: object }

/** `calls`: the tool calls of a turn, one in each response, before its message. */
export function toolsThenWords(calls: readonly ToolCall[]): (asked: Asked) => readonly OutputItem[] {
  let made = 0;
  let done = 0;
  return ({ generate, input }) => {
    if (generate === false) return [];
    const isResult = Array.isArray(input) && input.some(({ type }) => type === 'function_call_output');
    if (!isResult) done = 0;
    const call = calls[done];
    made += 1;
    if (call === undefined) {
      const content = [{ type: 'output_text', text: 'The Danube.', annotations: [] }];
      return [{ id: `msg_${made}`, type: 'message', status: 'completed', role: 'assistant', content }];
    }
    done += 1;
    const what = { name: call.name, arguments: JSON.stringify(call.arguments) };
    return [{ id: `fc_${made}`, type: 'function_call', status: 'completed', call_id: `call_${made}`, ...what }];

  };
}
