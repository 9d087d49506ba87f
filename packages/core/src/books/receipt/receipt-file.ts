/**
 * A file of receipts: JSON Lines. A head, a `pruned` line if the chain lost its beginning, the receipts in the order of their sequence,
 * checkpoints between them, an end.
 * Read strictly: a line is exactly what would be written, so that nothing in it can be read in two ways.
 */
import type { Checkpoint, CheckpointKind, ReceiptKey } from './checkpoint.ts';
import { figureNames, laterFigureNames, type ReceiptFigures, type ReceiptWords } from './receipt.ts';

export const receiptFileFormat = 'metergate-receipts-1';

export interface HeadLine {
  readonly type: 'head';
  readonly format: typeof receiptFileFormat;
  readonly organization: string;
  /** Sequence of the first receipt in the file. */
  readonly first: number;
  /** Hash of the receipt before it. */
  readonly previous: string;
  /** Every key the organization had, oldest first. */
  readonly keys: readonly ReceiptKey[];
}

export interface ReceiptLine {
  readonly type: 'receipt';
  readonly sequence: number;
  readonly figures: ReceiptFigures;
  /** The words with their salt. Null: erased or withheld. */
  readonly words: (ReceiptWords & { readonly salt: string }) | null;
  readonly wordsDigest: string;
  readonly hash: string;
}

/** `checkpoint`: the length of the chain at a moment. `end`: the last line of a complete file. `pruned`: what came before the receipts is gone. */
export interface CheckpointLine extends Checkpoint {
  readonly type: CheckpointKind;
}

export type FileLine = HeadLine | ReceiptLine | CheckpointLine;

const keysOf = {
  head: ['type', 'format', 'organization', 'first', 'previous', 'keys'],
  receipt: ['type', 'sequence', 'figures', 'words', 'wordsDigest', 'hash'],
  checkpoint: ['type', 'organization', 'key', 'first', 'previous', 'last', 'hash', 'at', 'signature'],
} as const;
const wordNames = ['salt', 'project', 'labels', 'run', 'path', 'model', 'finishReason', 'serviceTier', 'providerRequestId'] as const;
const laterWordNames = ['requestedModel'] as const;

/** The line without its line feed. Members are written in a fixed order, whatever their order in the value. */
export function formatLine(line: FileLine): string {
  if (line.type === 'receipt') {
    const { figures, words } = line;
    return JSON.stringify({
      ...inOrder(line, keysOf.receipt), figures: inOrder(figures, [...figureNames, ...laterFigureNames]),
      words: words === null ? null : inOrder(words, [...wordNames, ...laterWordNames]),
    });
  }
  if (line.type !== 'head') return JSON.stringify(inOrder(line, keysOf.checkpoint));
  const keys = line.keys.map(({ id, publicKey, follows }) => ({
    id, publicKey, follows: follows === null ? null : inOrder(follows, ['at', 'signedByPrevious', 'signedByItself']),
  }));
  return JSON.stringify({ ...inOrder(line, keysOf.head), keys });
}

/** Null: the line is not one that `formatLine` writes. */
export function parseLine(text: string): FileLine | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isLine(value) && formatLine(value) === text ? value : null;
}

function inOrder<Value extends object, Name extends keyof Value>(value: Value, names: readonly Name[]): Pick<Value, Name> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]])) as Pick<Value, Name>;
}

type Members = Readonly<Record<string, unknown>>;

function isLine(value: unknown): value is FileLine {
  if (!isObject(value)) return false;
  if (value.type === 'head') return isHead(value);
  if (value.type === 'receipt') return isReceipt(value);
  return (value.type === 'checkpoint' || value.type === 'end' || value.type === 'pruned') && hasMembers(value, keysOf.checkpoint)
    && isText(value.organization) && isText(value.key) && isWhole(value.first) && isHash(value.previous) && isWhole(value.last)
    && isHash(value.hash) && isText(value.at) && isSignature(value.signature);
}

function isHead(value: Members): boolean {
  return hasMembers(value, keysOf.head) && value.format === receiptFileFormat && isText(value.organization) && isWhole(value.first)
    && value.first > 0 && isHash(value.previous) && Array.isArray(value.keys) && value.keys.every(isReceiptKey);
}

/** Whether it has the form of one of the organization's keys; nothing is verified. */
export function isReceiptKey(value: unknown): boolean {
  if (!isObject(value) || !hasMembers(value, ['id', 'publicKey', 'follows']) || !isText(value.id) || !isPublicKey(value.publicKey)) return false;
  const { follows } = value;
  return follows === null || (isObject(follows) && hasMembers(follows, ['at', 'signedByPrevious', 'signedByItself'])
    && isText(follows.at) && isSignature(follows.signedByPrevious) && isSignature(follows.signedByItself));
}

function isReceipt(value: Members): boolean {
  const { figures, words } = value;
  return hasMembers(value, keysOf.receipt) && isWhole(value.sequence) && isHash(value.wordsDigest) && isHash(value.hash)
    && isObject(figures) && isFigures(figures)
    && (words === null || (isObject(words) && isWords(words)));
}

/** The later figures are there if one of them is not null, and then all of them. */
function isFigures(figures: Members): boolean {
  const later = laterFigureNames.some((name) => Object.hasOwn(figures, name));
  return hasMembers(figures, later ? [...figureNames, ...laterFigureNames] : figureNames) && Object.values(figures).every(isField)
    && (!later || laterFigureNames.some((name) => figures[name] !== null));
}

function isWords(words: Members): boolean {
  const later = Object.hasOwn(words, 'requestedModel');
  return hasMembers(words, later ? [...wordNames, ...laterWordNames] : wordNames) && (!later || isText(words.requestedModel))
    && isHash(words.salt) && Array.isArray(words.labels) && words.labels.every(isText)
    && isText(words.path) && ['project', 'run', 'model', 'finishReason', 'serviceTier', 'providerRequestId'].every((name) => isField(words[name]));
}

function hasMembers(value: Members, names: readonly string[]): boolean {
  const found = Object.keys(value);
  return found.length === names.length && names.every((name) => Object.hasOwn(value, name));
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Half a surrogate pair has no UTF-8, so nothing that is hashed or signed can hold one. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function isField(value: unknown): boolean {
  return value === null || isText(value);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** 64 bytes in base64, in their only valid spelling. */
function isSignature(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9A-Za-z+/]{85}[AQgw]==$/.test(value);
}

/** 32 bytes likewise. */
function isPublicKey(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9A-Za-z+/]{42}[AEIMQUYcgkosw048]=$/.test(value);
}
