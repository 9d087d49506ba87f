/**
 * All that a host can see of a value without changing it: kinds, own keys, content, and of errors what programs branch on. Two runs of one
 * script are compared by these portraits.
 */

/** Ids and ports differ from run to run and mean nothing. */
function steady(text: string): string {
  return text.replaceAll(/\b(chatcmpl|cmpl|resp|emb|msg|gem)-\d+/g, '$1-N').replaceAll(/127\.0\.0\.1:\d+/g, 'HOST');
}

/** Names of a value's classes, nearest first. */
function classesOf(value: object): string {
  const names: string[] = [];
  for (let one: unknown = Object.getPrototypeOf(value); one; one = Object.getPrototypeOf(one)) {
    names.push(String((one as { constructor?: { name?: string } }).constructor?.name));
  }
  return names.join('<');
}

/** A text that is equal for values a host cannot tell apart. */
export function portrait(value: unknown): string {
  return steady(draw(value, 0));
}

function draw(value: unknown, depth: number): string {
  if (typeof value === 'function') return `function ${value.name}/${value.length}`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Headers) return `Headers(${[...value.keys()].filter((name) => !/^(date|connection|keep-alive)$/.test(name)).join()})`;
  if (depth > 7 || value instanceof AbortSignal || value instanceof AbortController) return classesOf(value);
  const shown = value instanceof Error ? [...new Set(['name', 'message', 'status', 'statusCode', 'code', 'type', 'requestID', 'cause',
    ...Object.keys(value)])]
    : Object.keys(value);
  const skipped = /^(date|created|timestamp|lastModified|rawResponse|response|request\$|stack|_client|client|logger|socket)$/;
  return `${classesOf(value)}{${shown.filter((key) => !skipped.test(key))
    .map((key) => `${key}:${draw((value as Record<string, unknown>)[key], depth + 1)}`).join()}}`;
}
