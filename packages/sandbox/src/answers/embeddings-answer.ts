/** `POST /v1/embeddings`: vectors of fixed numbers, in the requested form and length. */
import { tokensOf, type Asked, type SandboxAnswer } from '../sandbox-answer.ts';

const inputsMax = 2_048;
const dimensionsMax = 4_096;
/** The length that the provider's smallest model gives. */
const dimensionsDefault = 1_536;

export function embeddings({ request }: Asked): SandboxAnswer {
  const { input, dimensions, encoding_format: format } = request.body;
  const isLength = typeof dimensions === 'number' && Number.isInteger(dimensions) && dimensions > 0;
  const length = isLength ? Math.min(dimensions, dimensionsMax) : dimensionsDefault;
  const vector = Float32Array.from({ length }, (_, at) => (at % 64 - 32) / 256);
  const embedding = format === 'base64' ? littleEndian(vector) : [...vector];
  const inputs = inputsOf(input);
  const data = inputs.map((_, index) => ({ object: 'embedding', index, embedding }));
  const tokens = inputs.reduce((sum, each) => sum + each, 0);
  return { kind: 'json', document: { object: 'list', data, model: request.model, usage: { prompt_tokens: tokens, total_tokens: tokens } } };
}

/** The tokens of each input: a text, texts, one list of tokens, or lists of tokens. */
function inputsOf(input: unknown): number[] {
  if (!Array.isArray(input)) return [tokensOf(typeof input === 'string' ? Buffer.byteLength(input) : 0)];
  if (input.length > 0 && input.every((each) => typeof each === 'number')) return [input.length];
  return input.slice(0, inputsMax).map((each: unknown) => {
    if (Array.isArray(each)) return Math.max(1, each.length);
    return tokensOf(typeof each === 'string' ? Buffer.byteLength(each) : 0);
  });
}

function littleEndian(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, at) => bytes.writeFloatLE(value, at * 4));
  return bytes.toString('base64');
}
