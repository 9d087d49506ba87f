/** The platform as `metergate login` asks it. What it answers is checked before anything is done with it. Decision 196. */
import { z } from 'zod';
import { CommandFault, UsageFault } from '../command-line/command.ts';
import type { Granted } from './tools/tool.ts';

const answerMsMax = 15_000;
const answerBytesMax = 262_144;

/** An address that may stand in any settings file as it is. */
const plainUrl = z.string().max(500).regex(/^https?:\/\/[A-Za-z0-9._:[\]-]+(?:\/[A-Za-z0-9._~-]+)*$/);
const serviceKey = z.string().regex(/^svc_live_[0-9A-Za-z]{32,256}$/);
const shownText = z.string().max(300).transform((text) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' '));

const begunFields = z.object({
  id: z.string().regex(/^[\w-]{1,60}$/), userCode: z.string().regex(/^[A-Z]{4}-[A-Z]{4}$/).nullable(),
    path: z.string().regex(/^\/connect(?:\?id=[\w-]+)?$/),
  expiresInSeconds: z.number().min(1).max(3_600), intervalSeconds: z.number().min(1).max(60),
});
export type Begun = z.output<typeof begunFields>;

const takenFields = z.object({
  key: serviceKey.nullable(), keyId: z.string().max(100).nullable(), prefix: shownText.nullable(), gatewayUrl: plainUrl.nullable(),
  person: shownText.nullable(), expiresAt: shownText.nullable(), organization: z.object({ name: shownText }).nullable(),
  providers: z.array(z.string().max(40)).max(20),
  upstreams: z.array(z.object({ name: z.string().regex(/^[a-z0-9-]{1,32}$/), provider: z.string().max(60).nullable() })).max(100),
});

/** The key and where to use it. */
export interface Given extends Granted {
  readonly keyId: string;
  readonly prefix: string;
  readonly person: string;
  readonly expiresAt: string | null;
  readonly organization: string;
}

/** An address as typed → its origin. @throws UsageFault; over plain http to another machine anybody in between could read the key */
export function platformOrigin(typed: string, { plainHttp }: { readonly plainHttp: boolean }): string {
  const url = URL.parse(typed.includes('://') ? typed : `https://${typed}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || url.pathname !== '/'
    || url.search + url.hash !== '') {
    throw new UsageFault('metergate login takes the address of the pages, such as https://metergate.example.com.');
  }
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isHere && !plainHttp) {
    throw new UsageFault('metergate login would get the key over plain http, where anybody in between can read it. Use https, or say --plain-http.');
  }
  return url.origin;
}

export async function beginSignIn(
  origin: string, asking: { readonly challenge: string; readonly machine: string; readonly port: number | null },
): Promise<Begun> {
  return checked(begunFields, await asked(origin, '/auth/machine-sign-ins', { method: 'POST', body: asking }));
}

/** Null: nobody has decided yet. */
export async function takeKey(
  origin: string, id: string, proof: { readonly verifier: string; readonly code: string | null },
): Promise<Given | null> {
  const taken = checked(takenFields, await asked(origin, `/auth/machine-sign-ins/${id}/take`, { method: 'POST', body: proof }));
  const { key, keyId, prefix, gatewayUrl, person, organization, ...rest } = taken;
  if (key === null) return null;
  if (keyId === null || prefix === null || gatewayUrl === null || person === null || organization === null) throw strange();
  return { ...rest, key, keyId, prefix, gatewayUrl, person, organization: organization.name };
}

/** Whether the key still works. */
export async function works(origin: string, key: string): Promise<boolean> {
  const answer = await sent(origin, '/self', { method: 'GET', key });
  return answer.status === 200;
}

/** Ends the key for good. False: it had ended before, or does not end itself. */
export async function endKey(origin: string, key: string): Promise<boolean> {
  return (await sent(origin, '/self', { method: 'DELETE', key })).status === 200;
}

interface Asking {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly key?: string;
}

async function asked(origin: string, path: string, asking: Asking): Promise<unknown> {
  const { status, text } = await sent(origin, path, asking);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw strange();
  }
  if (status === 200 || status === 201) return answer;
  const { error } = z.object({ error: z.object({ code: z.string().max(60), message: shownText }) }).catch({ error: { code: '',
    message: '' } }).parse(answer);
  if (error.message === '' || error.code === 'not_found' || error.code === 'unknown_url') throw strange();
  throw new CommandFault(error.code, error.message);
}

async function sent(origin: string, path: string, { method, body, key }: Asking): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(`${origin}/platform/v1${path}`, {
      method, redirect: 'error', signal: AbortSignal.timeout(answerMsMax),
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...(key === undefined ? {}
        : { authorization: `Bearer ${key}` }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await boundedText(response) };
  } catch (error) {
    if (error instanceof CommandFault) throw error;
    const cause = (error as { readonly cause?: { readonly code?: string } }).cause?.code;
    throw new CommandFault('platform_unreachable', `${origin} does not answer${cause === undefined ? '' : ` (${cause})`}.`);
  }
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += (piece as Uint8Array).length;
    if (bytes > answerBytesMax) throw strange();
    pieces.push(piece as Uint8Array);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw strange();
  return result.data;
}

function strange(): CommandFault {
  return new CommandFault('no_platform',
    'At this address no Metergate platform answers as expected. Give the address of its pages, not of the gateway.');
}
