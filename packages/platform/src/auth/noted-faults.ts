/**
 * The authentication library makes a fault of its database an error of its own, or nothing at all: who signed out while the store was away was told
 * that it was done, and the session went on. So what the store reports is noted beside the library, and thrown once it has answered.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AccountRows } from '@metergate/store/accounts/account-rows.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';

const underWay = new AsyncLocalStorage<{ fault: StoreFault | null }>();

/** The same rows; their faults are noted for `unlessStoreFailed`. */
export function notingFaults(rows: AccountRows): AccountRows {
  const noting = <Given extends unknown[], Answer>(ask: (...given: Given) => Promise<Answer>) => async (...given: Given): Promise<Answer> => {
    try {
      return await ask(...given);
    } catch (fault) {
      const noted = underWay.getStore();
      if (noted !== undefined && fault instanceof StoreFault) noted.fault ??= fault;
      throw fault;
    }
  };
  return {
    create: noting((...given) => rows.create(...given)), find: noting((query) => rows.find(query)), count: noting((...given) => rows.count(...given)),
    update: noting((...given) => rows.update(...given)), delete: noting((...given) => rows.delete(...given)),
  };
}

/** What `work` answers. @throws StoreFault if the store failed meanwhile, whatever was made of it. */
export async function unlessStoreFailed<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const noted: { fault: StoreFault | null } = { fault: null };
  try {
    const answer = await underWay.run(noted, work);
    if (noted.fault === null) return answer;
  } catch (error) {
    throw noted.fault ?? error;
  }
  throw noted.fault;
}
