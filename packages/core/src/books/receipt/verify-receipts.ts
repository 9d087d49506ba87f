/**
 * A file of receipts, line by line → whether it is whole and unaltered, and if not the first bad place. Rule 24.
 * It computes no hash and checks no signature itself. It is a generator that yields each question, so that the same rules run with Node's
 * synchronous cryptography and with a browser's asynchronous one.
 */
import { checkpointText, keyFollowsText, type ReceiptKey } from './checkpoint.ts';
import { parseLine, type CheckpointLine, type HeadLine, type ReceiptLine } from './receipt-file.ts';
import { chainStart, linkText, wordsText } from './receipt.ts';

export type Question =
  /** Answer with the SHA-256 of the text's UTF-8 bytes, in lower-case hexadecimal. */
  | { readonly ask: 'sha256'; readonly text: string }
  /** Answer whether `signature` (base64) is the Ed25519 signature of the text's UTF-8 bytes by `publicKey` (32 bytes, base64). */
  | { readonly ask: 'signature'; readonly text: string; readonly publicKey: string; readonly signature: string };
export type Checking<Result = void> = Generator<Question, Result, string | boolean>;

export type ReceiptFault =
  /** The line does not have the form of a line at this place. */
  | 'malformed'
  /** The receipt does not have the next sequence, or belongs to another organization. */
  | 'out_of_order'
  /** The words do not match their digest. */
  | 'words_differ'
  /** The figures, or what comes before them, do not match the hash. */
  | 'hash_differs'
  /** A checkpoint does not match the receipts before it. */
  | 'checkpoint_differs'
  | 'bad_signature'
  /** None of the file's keys is the given one, or a key is not signed by the one before it. */
  | 'unknown_key'
  /** The file stops before its end. */
  | 'cut';

export interface ReceiptVerdict {
  readonly valid: boolean;
  /** Receipts that were found good. */
  readonly checked: number;
  /** The sequence expected at the first bad line; null if all is good. */
  readonly firstBad: number | null;
  readonly fault: ReceiptFault | null;
  /** Null: there is no head that says so. */
  readonly organization: string | null;
  readonly first: number | null;
  readonly last: number | null;
  /** Hash of the last good receipt. */
  readonly hash: string | null;
  /** What came before the file's receipts was removed from the store for its age, as signed then; null: the file does not say so. */
  readonly pruned: { readonly last: number; readonly at: string } | null;
  /** Of `checked`, those without their words: erased or withheld. */
  readonly withoutWords: number;
  /** The key that signed the end. */
  readonly key: string | null;
}

/** Checks a file of receipts line by line, in constant memory. The first fault found is the verdict. */
export class ReceiptVerifier {
  /** Public keys that the reader trusts, 32 bytes each in base64; null: the file is only checked against itself. */
  readonly #trusted: readonly string[] | null;
  #head: HeadLine | null = null;
  #next = 1;
  #hash = chainStart;
  #checked = 0;
  #withoutWords = 0;
  #fault: ReceiptFault | null = null;
  #ended = false;
  /** The line before was the head. */
  #afterHead = false;
  #pruned: { readonly last: number; readonly at: string } | null = null;

  constructor(trusted: readonly string[] | null) {
    this.#trusted = trusted;
  }

  /** True once a fault was found: later lines do not change the verdict. */
  get failed(): boolean {
    return this.#fault !== null;
  }

  /** One line without its line feed. */
  *take(text: string): Checking {
    if (this.#fault !== null) return;
    const line = parseLine(text);
    const afterHead = this.#afterHead;
    this.#afterHead = line?.type === 'head';
    if (line === null || this.#ended || (line.type === 'head') !== (this.#head === null) || (line.type === 'pruned' && !afterHead)) {
      this.#fault = 'malformed';
    } else if (line.type === 'head') this.#fault = yield* this.#checkHead(line);
    else if (line.type === 'receipt') this.#fault = yield* this.#checkReceipt(line);
    else this.#fault = yield* this.#checkCheckpoint(line, this.#head!);
  }

  /** After the last line. */
  verdict(): ReceiptVerdict {
    const fault = this.#fault ?? (this.#ended ? null : 'cut');
    const head = this.#head;
    return {
      valid: fault === null, checked: this.#checked, firstBad: fault === null ? null : this.#next, fault,
      organization: head?.organization ?? null, first: head?.first ?? null, last: head === null ? null : this.#next - 1,
      hash: head === null ? null : this.#hash, pruned: this.#pruned, withoutWords: this.#withoutWords, key: head?.keys.at(-1)?.id ?? null,
    };
  }

  *#checkHead(head: HeadLine): Checking<ReceiptFault | null> {
    this.#head = head;
    this.#next = head.first;
    this.#hash = head.previous;
    if (head.first === 1 && head.previous !== chainStart) return 'hash_differs';
    if (head.keys.length === 0 || (this.#trusted !== null && !head.keys.some(({ publicKey }) => this.#trusted!.includes(publicKey)))) {
      return 'unknown_key';
    }
    for (const [index, key] of head.keys.entries()) {
      if (!(yield* followsWell(head.organization, head.keys[index - 1], key))) return 'unknown_key';
    }
    return null;
  }

  *#checkReceipt({ sequence, figures, words, wordsDigest: digest, hash }: ReceiptLine): Checking<ReceiptFault | null> {
    if (sequence !== this.#next || figures.organization !== this.#head!.organization) return 'out_of_order';
    if (words !== null && (yield* sha256(wordsText(words.salt, words))) !== digest) return 'words_differ';
    const place = { sequence, previous: this.#hash, wordsDigest: digest };
    if ((yield* sha256(linkText(place, figures))) !== hash) return 'hash_differs';
    this.#hash = hash;
    this.#next += 1;
    this.#checked += 1;
    if (words === null) this.#withoutWords += 1;
    return null;
  }

  *#checkCheckpoint(line: CheckpointLine, head: HeadLine): Checking<ReceiptFault | null> {
    const isEnd = line.type === 'end';
    const [first, previous] = isEnd ? [head.first, head.previous] : [1, chainStart];
    if (line.organization !== head.organization || line.first !== first || line.previous !== previous
      || line.last !== this.#next - 1 || line.hash !== this.#hash) return 'checkpoint_differs';
    const key = head.keys.find(({ id }) => id === line.key);
    if (key === undefined || (isEnd && key !== head.keys.at(-1))) return 'unknown_key';
    if (!(yield { ask: 'signature', text: checkpointText(line.type, line), publicKey: key.publicKey, signature: line.signature })) {
      return 'bad_signature';
    }
    this.#ended = isEnd;
    if (line.type === 'pruned') this.#pruned = { last: line.last, at: line.at };
    return null;
  }
}

function* sha256(text: string): Checking<string> {
  return (yield { ask: 'sha256', text }) as string;
}

/** True for the first key, and for a key signed by both itself and the key before it. */
export function* followsWell(organization: string, from: ReceiptKey | undefined, to: ReceiptKey): Checking<boolean> {
  if (from === undefined || to.follows === null) return from === undefined && to.follows === null;
  const { at, signedByPrevious, signedByItself } = to.follows;
  const text = keyFollowsText(organization, { from, to, at });
  return Boolean(yield { ask: 'signature', text, publicKey: from.publicKey, signature: signedByPrevious })
    && Boolean(yield { ask: 'signature', text, publicKey: to.publicKey, signature: signedByItself });
}
