/** What is asked of every cell, one after the other or side by side. */
import { isRefusal, type StoreRefusal } from '../../engine/refusal.ts';
import type { Seeding } from '../../calls/seeding.ts';
import type { Erasure } from '../../retention/erasure.ts';
import type { MasterKey } from '../../sealing/master-key-rotation.ts';
import type { GatewayNodes, GatewayNodeSeen } from '../../spend/gateway-nodes.ts';
import type { SpendReconciler } from '../../spend/spend-reconciler.ts';
import { inTurns } from './reach.ts';
import { finishErasure } from './routed-organizations.ts';
import type { RoutesOf } from './route.ts';

/**
 * The cell first: what is left there is found again by the id for as long as the default cell knows the organization. If it is cut short in between,
 * its owner may ask again, and whoever keeps house finishes it.
 */
export const routedErasure: RoutesOf<Erasure> = {
  async begin({ cells, home, of }, organization) {
    const own = await of(organization);
    if (own === home) return home.erasure.begin(organization);
    await home.directory.beginErasure(organization);
    const begun = await own.erasure.begin(organization);
    if (isRefusal(begun) && await own.organizations.findErased(organization) === null) {
      await home.directory.settle(organization);
      return begun;
    }
    const finished = await finishErasure(await cells.home.store(), organization);
    // Another platform may have finished the erasure first. If all was done before, the refusal says that there is no such organization.
    return isRefusal(begun) ? finished : begun;
  },
  eraseSlice: async ({ everywhere }) => (await everywhere((store) => store.erasure.eraseSlice())).some(Boolean),
  settle: async ({ everywhere }) => (await everywhere((store) => store.erasure.settle())).every(Boolean),
};

/**
 * The other cells first, the default cell last: if it is cut short, the old key still opens the default cell, and the cells that have the new key
 * hand it over, so the same command finishes it.
 */
export const routedMasterKey: RoutesOf<MasterKey> = {
  async rotate({ cells, at, home }, newKey) {
    const sum = { dataKeys: 0, unreadable: 0 };
    const add = (done: { readonly dataKeys: number; readonly unreadable: number }): void => {
      sum.dataKeys += done.dataKeys;
      sum.unreadable += done.unreadable;
    };
    let refusal: StoreRefusal | null = null;
    for (const cell of cells.all) {
      if (cell === cells.home) continue;
      const done = await (await at(cell)).masterKey.rotate(newKey);
      if (isRefusal(done)) refusal ??= done;
      else add(done);
    }
    const done = await home.masterKey.rotate(newKey);
    if (isRefusal(done)) return done;
    add(done);
    return sum;
  },
  follow: async ({ everywhere }) => (await everywhere((store) => store.masterKey.follow())).some(Boolean),
  endHandOver: async ({ everywhere }) => void await everywhere((store) => store.masterKey.endHandOver()),
};

export const routedReconciler: RoutesOf<SpendReconciler> = {
  async reconcile({ cells, at }, between) {
    const whole = { organizations: 0, records: 0, differences: [] as never[] };
    for (const cell of cells.all) {
      const part = await (await at(cell)).spendReconciler.reconcile(between);
      if (part === null) return null;
      whole.organizations += part.organizations;
      whole.records += part.records;
      whole.differences.push(...part.differences as never[]);
    }
    return whole;
  },
};

export const routedSeeding: RoutesOf<Seeding> = {
  isEmpty: async ({ everywhere }) => (await everywhere((store) => store.seeding.isEmpty())).every(Boolean),
  async addKeys({ home, of }, organization, keys) {
    const own = await of(organization);
    if (own !== home) await home.directory.noteKeys(organization, keys.map(({ hash }) => hash));
    return own.seeding.addKeys(organization, keys);
  },
  addRuns: 'each',
  begin: 'each',
  settle: 'each',
};

/** A node is known to every cell that it serves; it is shown once, with what it holds in all of them. A cell that is away is left out. */
export const routedNodes: RoutesOf<GatewayNodes> = {
  async list({ cells, at }) {
    const lists = await inTurns(cells.all, async (cell) => {
      const store = await at(cell).catch(() => null);
      return cell === cells.home ? store!.gatewayNodes.list() : store?.gatewayNodes.list().catch(() => null) ?? null;
    });
    const seen = new Map<string, GatewayNodeSeen>();
    for (const list of lists) {
      for (const node of list?.nodes ?? []) {
        const known = seen.get(node.id);
        seen.set(node.id, known === undefined ? node : { ...known, leases: known.leases + node.leases, outdated: known.outdated || node.outdated });
      }
    }
    return { nowMs: lists[0]!.nowMs, nodes: [...seen.values()] };
  },
};
