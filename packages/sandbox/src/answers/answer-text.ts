/**
 * The text of an answer: the one that says it is simulated or, if the request asks for JSON, a JSON text that fits. Each dialect has its
 * own field for the requested format.
 */
import { isFields, type Fields, type SandboxRequest } from '../sandbox-request.ts';
import { exampleOf } from './schema-example.ts';

const simulatedText = "This answer comes from Metergate's sandbox: it is simulated, no provider was called and nothing was charged by one.";

export function answerTextOf({ body }: SandboxRequest): string {
  const format = formatOf(body);
  if (format === null || format['type'] === 'text') return simulatedText;
  const schema = isFields(format['json_schema']) ? format['json_schema']['schema'] : format['schema'];
  return JSON.stringify(isFields(schema) ? exampleOf(schema) : { answer: simulatedText });
}

/** In the order of chat completions, messages now and formerly, responses. */
function formatOf(body: Fields): Fields | null {
  const within = (holder: unknown): unknown => (isFields(holder) ? holder['format'] : null);
  return [body['response_format'], within(body['output_config']), body['output_format'], within(body['text'])].find(isFields) ?? null;
}
