/** A file of receipts → its verdict, from the public key alone. If there is a store here, also whether it still has the receipts of the file. */
import { createReadStream, readFileSync } from 'node:fs';
import { checkReceipts } from '@metergate/platform/use-cases/receipts/check-receipts.ts';
import { rawKeysIn } from '@metergate/platform/use-cases/receipts/public-key-pem.ts';
import type { ReceiptVerdict } from '@metergate/core/receipt/verify-receipts.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { CommandFault, type CommandTools } from '../command-line/command.ts';
import { MasterKeyFault } from '../config/master-key.ts';
import { readConfig } from '../config/read-config.ts';
import { openExistingStore } from '../open-store.ts';
import { chainBehind, noteHead, type ChainBehind } from './known-heads.ts';

/** @throws CommandFault if the file cannot be read. */
export async function verifyFile(path: string, trusted: readonly string[] | null): Promise<ReceiptVerdict> {
  try {
    return await checkReceipts(createReadStream(path), trusted);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Raw public keys of a PEM file. @throws CommandFault */
export function publicKeysIn(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
  const keys = rawKeysIn(text);
  if (keys !== null) return keys;
  throw new CommandFault('no_public_key', `The file ${path} holds no Ed25519 public key in PEM, as metergate receipts public-key prints it.`);
}

/** Null: there is no store here that knows the organization, or it agrees with the file. */
export async function storeBehind({ env, cwd }: CommandTools, verdict: ReceiptVerdict): Promise<ChainBehind | null> {
  const { organization, last, hash, valid } = verdict;
  const read = readConfig(env, cwd);
  if (!valid || organization === null || last === null || hash === null || 'refusal' in read) return null;
  const head = { organization, last, hash };
  try {
    const store = await openExistingStore(read.config);
    try {
      const behind = await chainBehind(store, head);
      if (behind !== null) noteHead(read.config.dataDirectory, head);
      return behind;
    } finally {
      await store.close();
    }
  } catch (error) {
    // The file can be verified without a store.
    if (error instanceof StoreFault || error instanceof MasterKeyFault) return null;
    throw error;
  }
}

function unreadable(path: string, error: unknown): unknown {
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string') return error;
  return new CommandFault('file_not_read', `The file ${path} cannot be read: ${code}.`);
}
