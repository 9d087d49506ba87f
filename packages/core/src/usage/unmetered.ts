/**
 * Work whose cost is not known when its call ends: billed later, never reported, done with a key or a channel that the answer hands out, or
 * reported unless the caller asks for an answer without it. Rule 6c. An organization allows each kind, refuses it, or refuses it where a cap or the
 * budget of a run binds the call. The kind follows from the path (`operation.ts`), except where only the body, the query or a header asks for it
 * (`later-work.ts`, `hidden-usage.ts`).
 */
import { firstValue, type HeaderPairs } from '../call/header-pairs.ts';
import { idleMethods, mayStreamWithoutUsage } from './hidden-usage.ts';
import { askedInBody, asynchronousHeader, type AskedInBody } from './later-work.ts';
import { handsOut, plainOperationOf, withoutUsage, type CalledOperation } from './operation.ts';
import type { SocketKind } from './socket-kind.ts';

/**
 * `deferred`: done and billed later. `unreported`: charged without any report of usage. `handedOut`: the answer holds a key of the provider's,
 * or opens a channel to it that does not pass through the gateway. `hidden`: its usage would be reported, but the caller asks for an answer
 * without it, or in a form that is not read.
 */
export const unmeteredKinds = ['deferred', 'unreported', 'handedOut', 'hidden'] as const;
export type UnmeteredKind = (typeof unmeteredKinds)[number];

/** `refuse-under-limits`: refused where an armed cap binds the call, or its run has a budget. */
export const unmeteredRules = ['allow', 'refuse', 'refuse-under-limits'] as const;
export type UnmeteredRule = (typeof unmeteredRules)[number];

/** What an organization says of each kind. */
export type UnmeteredPolicy = { readonly [Kind in UnmeteredKind]: UnmeteredRule };

export const allowsAllUnmetered: UnmeteredPolicy = Object.freeze({ deferred: 'allow', unreported: 'allow', handedOut: 'allow', hidden: 'allow' });

/** What the head of a call says of its work. `by_body`: it is `deferred` if the body asks for it. Null: its usage is reported, or it is free. */
export type UnmeteredByHead = Exclude<UnmeteredKind, 'hidden'> | 'by_body' | null;

/** A call, as its head tells it. */
interface CalledHead extends CalledOperation {
  /** A header asks for its work to be done later (`asksInHeader`). */
  readonly isAsynchronous?: boolean;
  /** Its query or a header asks for an answer without usage (`hidesInHead`). */
  readonly hides?: boolean;
  /** Too many answers to its caller's calls did not report their usage (`UntoldCalls`). */
  readonly isUntold?: boolean;
  /** Its provider reports the usage of every stream (`reportsStreamsUnasked`). */
  readonly streamsReport?: boolean;
}

/** The kind of a call's work, by its method and path in any spelling. */
export function unmeteredByHead(operation: CalledHead): UnmeteredByHead {
  // Looking and deleting do no work. What a server makes of any other method is not known, so it is taken for the one that does.
  if (idleMethods.has(operation.method)) return null;
  if (operation.isAsynchronous === true) return 'deferred';
  const plain = plainOperationOf(operation.path);
  switch (withoutUsage({ ...operation, method: 'POST' })) {
    case 'deferred': return handsOut(plain) ? 'handedOut' : 'deferred';
    case 'not_reported': return sometimesReported.test(plain) ? null : 'unreported';
    case 'absent': return membersAsking(operation) === null ? null : 'by_body';
    case 'none': return null;
  }
}

/** What a body must have to ask for work that is done later; null: no body of such a call does. */
export function membersAsking({ endpoint, path }: CalledOperation): AskedInBody | null {
  // The first wire has no such member of a chat, so its bodies are not read for one.
  return endpoint === 'chat.completions' && !path.startsWith('/upstream') ? null : askedInBody(plainOperationOf(path));
}

/** Whether a header asks an upstream to do the work later. */
export function asksInHeader({ path }: Pick<CalledOperation, 'path'>, headers: HeaderPairs): boolean {
  return path.startsWith('/upstream') && firstValue(headers, asynchronousHeader) !== null;
}

/** Whether only the body says that its caller hides what it uses. */
export function mayHideInBody({ method, path, streamsReport = false, ...operation }: CalledHead): boolean {
  return !streamsReport && !idleMethods.has(method) && mayStreamWithoutUsage(path) && isReported({ ...operation, method, path });
}

/** Whether the provider reports the usage of such a call, were it sent for its work. */
function isReported(operation: CalledOperation): boolean {
  return withoutUsage({ ...operation, method: 'POST' }) === 'absent' || sometimesReported.test(plainOperationOf(operation.path));
}

/** What the body of such a call asks for. `unread`: it was not read to its end, or is not one JSON object. */
export type AskedLater = 'no' | 'yes' | 'unread';

/** What a body asks for that may be refused; `unread` too where nobody wanted to know. */
export interface AskedOfBody {
  /** Work that is done later. */
  readonly asksLater: AskedLater;
  /** A stream whose usage is not reported. */
  readonly hidesUsage: AskedLater;
}

/**
 * Why work is taken to be of a kind. `asked`: the call asks for it. `unread`: its body could not be read, so it may. `untold`: too many answers to
 * calls of this caller did not report their usage (`UntoldCalls`).
 */
type UnmeteredGround = 'asked' | 'unread' | 'untold';

/** Work that the organization's policy is about. */
export interface UnmeteredWork {
  readonly kind: UnmeteredKind;
  readonly rule: Exclude<UnmeteredRule, 'allow'>;
  readonly ground: UnmeteredGround;
}

/** Null: the organization allows it, or nothing is known against it. `asked`: null while the body has not come. The stricter rule goes first. */
export function unmeteredWorkOf(policy: UnmeteredPolicy, operation: CalledHead, asked: AskedOfBody | null): UnmeteredWork | null {
  const done = doneUnmetered(policy, operation, asked?.asksLater ?? null);
  const hidden = done?.rule === 'refuse' ? null : hiddenWork(policy, operation, asked?.hidesUsage ?? null);
  return done === null || hidden?.rule === 'refuse' ? hidden : done;
}

function doneUnmetered(policy: UnmeteredPolicy, operation: CalledHead, asked: AskedLater | null): UnmeteredWork | null {
  const byHead = unmeteredByHead(operation);
  if (byHead === null) return null;
  if (byHead === 'by_body' && (asked === null || asked === 'no')) return null;
  const kind = byHead === 'by_body' ? 'deferred' : byHead;
  const rule = policy[kind];
  return rule === 'allow' ? null : { kind, rule, ground: byHead === 'by_body' && asked === 'unread' ? 'unread' : 'asked' };
}

function hiddenWork({ hidden: rule }: UnmeteredPolicy, operation: CalledHead, asked: AskedLater | null): UnmeteredWork | null {
  if (rule === 'allow') return null;
  if (operation.hides === true && isReported(operation)) return { kind: 'hidden', rule, ground: 'asked' };
  if (operation.isUntold === true && !idleMethods.has(operation.method) && isReported(operation)) return untoldWork({ hidden: rule }, true);
  if (asked === null || asked === 'no' || !mayHideInBody(operation)) return null;
  return { kind: 'hidden', rule, ground: asked === 'unread' ? 'unread' : 'asked' };
}

/** Metered work of a caller, if `isUntold`: too many of its answers did not report their usage. Null: allowed, or too few did. */
export function untoldWork({ hidden: rule }: Pick<UnmeteredPolicy, 'hidden'>, isUntold: boolean): UnmeteredWork | null {
  return rule === 'allow' || !isUntold ? null : { kind: 'hidden', rule, ground: 'untold' };
}

/**
 * Unmetered work of the handshake of a WebSocket connection. One whose API is not read does its work without any report of usage; on all others each
 * response is a call of its own.
 */
export function unmeteredSocketOf(policy: UnmeteredPolicy, kind: SocketKind): UnmeteredWork | null {
  const rule = policy.unreported;
  return kind !== 'unread' || rule === 'allow' ? null : { kind: 'unreported', rule, ground: 'asked' };
}

/** Models of today report what an image cost, older ones do not: the answer tells, and the call is counted as unknown if it does not. */
const sometimesReported = /^\/v1\/images\/(?:generations|edits)$/;
