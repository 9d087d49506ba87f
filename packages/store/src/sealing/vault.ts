/**
 * The master key at work: it wraps each organization's data key, and a data key seals that organization's credentials.
 * Rule 18. Every use of the master key goes through HKDF with a separate label; the key itself seals nothing.
 * A data key or credential that does not unseal is null: the callers' state `unreadable`, never an error.
 */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { masterKeyBytes } from './master-key.ts';
import { nonceBytes, seal, unseal, type SealPlace } from './seal.ts';

/** What a stored credential is. */
type CredentialPurpose =
  'provider-key' | 'upstream-credential' | 'tap-key' | 'grant-key' | 'receipt-key' | 'receipt-secret' | 'webhook-secret';

/** Where a credential lives. `record`: the provider's name, or `upstream`. */
export interface CredentialPlace extends SealPlace {
  readonly purpose: CredentialPurpose;
}

export interface Vault {
  /** Names the wrapping key in force, so that a rotation can tell which data keys are still to be re-wrapped. No secret. */
  readonly wrappingKeyId: string;
  /** The data key, wrapped by another master key's vault. Null: it cannot be unwrapped. */
  rewrapped(organization: string, wrappedDataKey: Uint8Array, next: Vault): Uint8Array | null;
  /** Wraps a data key that another vault unwrapped. */
  wrap(organization: string, dataKey: Uint8Array): Uint8Array;
  /** A new master key, sealed for servers that still hold this one. */
  handOver(next: Uint8Array): Uint8Array;
  /** Takes a handed-over master key in place of this vault's own. False: it is not for this one. */
  takeOver(handedOver: Uint8Array): boolean;
  /** A separate vault with the key in force now, for a store that changes its key at another moment. */
  another(): Vault;
  /** 32 bytes in hexadecimal by which a store recognizes its master key; they reveal nothing about the key. */
  fingerprint(salt: Uint8Array): string;
  /** A new data key, wrapped. */
  newDataKey(organization: string): Uint8Array;
  /** Seals a credential under the organization's data key. Null: the data key cannot be unwrapped. */
  sealCredential(credential: string, wrappedDataKey: Uint8Array, place: CredentialPlace): Uint8Array | null;
  /** The credential. Null: it, or the data key, cannot be unsealed. */
  unsealCredential(sealed: Uint8Array, wrappedDataKey: Uint8Array, place: CredentialPlace): string | null;
}

/** Throws a RangeError if the master key has another length than 32 bytes. */
export function createVault(masterKey: Uint8Array, randomBytes: (n: number) => Uint8Array): Vault {
  return vaultWith(keysOf(masterKey), randomBytes);
}

function vaultWith(begun: Keys, randomBytes: (n: number) => Uint8Array): Vault {
  let keys = begun;
  const unwrapped = (organization: string, wrapped: Uint8Array): Uint8Array | null => {
    const bytes = unseal(wrapped, { key: keys.wrapping, place: dataKeyPlace(organization) });
    return bytes === null || bytes.length !== 32 ? null : bytes;
  };
  const dataKeyOf = (organization: string, wrapped: Uint8Array): KeyObject | null => {
    const bytes = unwrapped(organization, wrapped);
    return bytes === null ? null : createSecretKey(bytes);
  };
  const wrap = (organization: string, dataKey: Uint8Array): Uint8Array =>
    seal(dataKey, randomBytes(nonceBytes), { key: keys.wrapping, place: dataKeyPlace(organization) });
  return {
    get wrappingKeyId() {
      return keys.id;
    },
    another: () => vaultWith(keys, randomBytes),
    fingerprint: (salt) => keys.fingerprint(salt),
    newDataKey: (organization) => wrap(organization, randomBytes(32)),
    wrap,
    rewrapped(organization, wrappedDataKey, next) {
      const dataKey = unwrapped(organization, wrappedDataKey);
      return dataKey === null ? null : next.wrap(organization, dataKey);
    },
    handOver: (next) => seal(next, randomBytes(nonceBytes), { key: keys.wrapping, place: handOverPlace }),
    takeOver(handedOver) {
      const next = unseal(handedOver, { key: keys.wrapping, place: handOverPlace });
      if (next === null || next.length !== masterKeyBytes) return false;
      keys = keysOf(next);
      return true;
    },
    sealCredential(credential, wrappedDataKey, place) {
      const key = dataKeyOf(place.organization, wrappedDataKey);
      return key === null ? null : seal(Buffer.from(credential, 'utf8'), randomBytes(nonceBytes), { key, place });
    },
    unsealCredential(sealed, wrappedDataKey, place) {
      const key = dataKeyOf(place.organization, wrappedDataKey);
      const bytes = key === null ? null : unseal(sealed, { key, place });
      return bytes === null ? null : Buffer.from(bytes).toString('utf8');
    },
  };
}

interface Keys {
  readonly wrapping: KeyObject;
  readonly id: string;
  readonly fingerprint: (salt: Uint8Array) => string;
}

/** The keys derived from one master key, one for each use. */
function keysOf(masterKey: Uint8Array): Keys {
  if (masterKey.length !== masterKeyBytes) throw new RangeError('a master key has 32 bytes');
  return {
    wrapping: createSecretKey(derive(masterKey, noSalt, 'metergate/v1/data-key-wrapping')),
    id: derive(masterKey, noSalt, 'metergate/v1/wrapping-key-id').subarray(0, 8).toString('hex'),
    fingerprint: (salt) => derive(masterKey, salt, 'metergate/v1/store-fingerprint').toString('hex'),
  };
}

const handOverPlace: SealPlace = { purpose: 'master-key-handover', organization: '', record: 'master-key', version: 1n };

const noSalt = new Uint8Array(0);

function derive(masterKey: Uint8Array, salt: Uint8Array, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, salt, label, 32));
}

function dataKeyPlace(organization: string): SealPlace {
  return { purpose: 'organization-data-key', organization, record: organization, version: 1n };
}
