/**
 * A cache of organizations, valid as long as nothing in the store changes. Many keys of one organization are often first used at the same time; with
 * the cache each needs a small query instead of a large one. A cached answer is never older than the question.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { OrganizationSettings } from '@metergate/core/account/settings.ts';
import type { NodeSettings } from '../settings/node-settings.ts';

const keptMax = 1_000;

export class KeptOrganizations {
  readonly #settings: Pick<NodeSettings, 'revision' | 'organization'>;
  /** As read when the store's revision was this, or later. */
  readonly #kept = new Map<OrganizationId, { readonly revision: number; readonly settings: OrganizationSettings }>();

  constructor(settings: Pick<NodeSettings, 'revision' | 'organization'>) {
    this.#settings = settings;
  }

  /** The organizations with these ids that exist. Rejects if the store fails. */
  async now(ids: ReadonlySet<OrganizationId>): Promise<Map<OrganizationId, OrganizationSettings>> {
    const found = new Map<OrganizationId, OrganizationSettings>();
    if (ids.size === 0) return found;
    const revision = await this.#settings.revision();
    await Promise.all([...ids].map(async (id) => {
      const settings = await this.#asOf(revision, id);
      if (settings !== null) found.set(id, settings);
    }));
    return found;
  }

  async #asOf(revision: number, id: OrganizationId): Promise<OrganizationSettings | null> {
    const known = this.#kept.get(id);
    if (known?.revision === revision) return known.settings;
    const settings = await this.#settings.organization(id);
    this.#kept.delete(id);
    if (settings === null) return null;
    if (this.#kept.size >= keptMax) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(id, { revision, settings });
    return settings;
  }

  /** Something changed, or the store was restored to an earlier moment, so that its revisions repeat. */
  clear(): void {
    this.#kept.clear();
  }
}
