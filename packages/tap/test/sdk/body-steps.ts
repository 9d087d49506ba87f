/**
 * The ways in which a host reads a bare `Response` itself: whole or in the middle of it, as JSON or a stream of events, compressed or not.
 * Each gives the figures that the parsed answer would give. An old SDK's response has a stream of Node as its body.
 */
import { PassThrough, Readable } from 'node:stream';
import type { Expected, Step } from './compare.ts';

interface Asked {
  asResponse(): Promise<Response>;
  withResponse(): Promise<{ response: Response }>;
}

/** The calls of one client, and what the tap must see of them. */
export interface Calls<Client> {
  readonly ask: (client: Client, model: string, more?: object) => Asked;
  /** The arguments that ask for a stream with its usage. */
  readonly streamed: object;
  /** A word of a stream's last event. */
  readonly last: string;
  readonly seen: (model: string, other?: Expected) => Expected;
  /** What differs once the first event of a stream was read, and no more. */
  readonly begun: Expected;
  /** What is seen of a call whose body was not read to any figure. */
  readonly bare: Expected;
}

const isWeb = ({ body }: Response): boolean => typeof body?.getReader === 'function';
const textOf = async (source: unknown): Promise<string> => {
  const parts: Uint8Array[] = [];
  for await (const part of source as AsyncIterable<Uint8Array | string>) parts.push(Buffer.from(part as string));
  return Buffer.concat(parts).toString();
};

async function byReader(reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> }): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value!);
  return Buffer.concat(parts).toString();
}

async function byob(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = (body as ReadableStream).getReader({ mode: 'byob' });
  return byReader({ read: async () => {
    const next = await reader.read(new Uint8Array(7));
    return { done: next.done, value: next.value };
  } });
}

const webWays: Readonly<Record<string, (response: Response) => unknown>> = {
  'a reader': ({ body }) => byReader(body!.getReader()),
  'a reader with its own buffer': ({ body }) => byob(body!),
  'a tee of bytes': async ({ body }) => Promise.all(body!.tee().map((half) => byob(half))),
  'pipeTo': async ({ body }) => {
    const parts: Uint8Array[] = [];
    await body!.pipeTo(new WritableStream({ write: (part: Uint8Array) => void parts.push(part) }));
    return Buffer.concat(parts).toString();
  },
  'pipeThrough': ({ body }) => textOf(body!.pipeThrough(new TextDecoderStream() as never)),
  'another response': ({ body }) => new Response(body).text(),
  'a stream of Node': ({ body }) => textOf(Readable.fromWeb(body as never)),
};

const nodeWays: Readonly<Record<string, (body: Readable) => unknown>> = {
  'data events': (body) => new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    body.on('data', (part: Uint8Array) => parts.push(part)).on('error', reject).on('end', () => resolve(Buffer.concat(parts).toString()));
  }),
  'pipe': (body) => textOf(body.pipe(new PassThrough())),
};

const ways: Readonly<Record<string, (response: Response) => unknown>> = {
  'text': (response) => response.text(),
  'arrayBuffer': async (response) => Buffer.from(await response.arrayBuffer()).toString(),
  'blob': async (response) => (await response.blob()).text(),
  'for await': (response) => textOf(response.body),
  'a clone beside it': async (response) => {
    const copy = response.clone();
    return Promise.all([copy.text(), response.text()]);
  },
  'the body beside a clone': async (response) => {
    const copy = response.clone();
    return Promise.all([textOf(response.body), textOf(copy.body)]);
  },
  ...Object.fromEntries(Object.entries(webWays).map(([name, read]) => [name, (response: Response) => isWeb(response) && read(response)])),
  ...Object.fromEntries(Object.entries(nodeWays).map(([name, read]) => [name, (response: Response) => (
    isWeb(response) || read(response.body as never))])),
};

/** A way that the response's kind does not have reads it as text. */
const reading = (read: (response: Response) => unknown) => async (response: Response): Promise<unknown> => {
  const found = await read(response);
  return typeof found === 'boolean' ? response.text() : found;
};

/** Reads up to the first piece that has the word, and leaves. */
const until = (word: string) => async (response: Response): Promise<boolean> => {
  for await (const part of response.body as never as AsyncIterable<Uint8Array>) if (Buffer.from(part).includes(word)) return true;
  return false;
};

export function bodySteps<Client>({ ask, streamed, last, seen, begun, bare }: Calls<Client>): Step<Client>[] {
  const broken = (model: string): Expected => ({ ...bare, model, stop_reason: 'error' });
  const step = (name: string, model: string, read: (response: Response) => unknown, more: object = {}): Step<Client> =>
    ({ name: `body: ${name}`, run: async (client) => read(await ask(client, model, more).asResponse()), seen: [seen(model)] });
  return [
    ...['m', 'm.gzip'].flatMap((model) => [
      step(`${model} by json`, model, (response) => response.json()),
      ...Object.entries(ways).flatMap(([name, read]) => [
        step(`${model} by ${name}`, model, reading(read)),
        step(`${model} streamed, by ${name}`, model, reading(read), streamed),
      ]),
    ]),
    {
      ...step('the response beside the parsed stream', 'm', textless, streamed),
      run: async (client) => textOf((await ask(client, 'm', streamed).withResponse()).response.body),
    },
    { ...step('left at its last line', 'm', until(last), streamed), seen: [seen('m')] },
    { ...step('left in the middle', 'm.stall', until('data:'), streamed), seen: [seen('m.stall', { ...begun, stop_reason: 'other' })] },
    {
      ...step('cut by the provider', 'm.cut', (response) => textOf(response.body), streamed),
      seen: [seen('m.cut', { ...begun, stop_reason: 'error' })],
    },
    { ...step('json cut by the provider', 'm.cut.bare', (response) => response.text()), seen: [broken('m.cut.bare')] },
    { ...step('no json: a text without usage', 'm.nojson', (response) => response.text()), seen: [{ ...bare, model: 'm.nojson' }] },
    {
      ...step('a coding that nobody reads: no event', 'm.odd', async (response) => (await response.arrayBuffer()).byteLength > 0),
      seen: [],
      unheard: true,
    },
  ];
}

const textless = (): undefined => undefined;
