/** What people and labels with caps spent, as a part of the answers and changes that a gateway thread gets. See `capped-news.ts`. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import type { CappedNews } from './capped-news.ts';
import type { KeyAnswer, OrganizationChange } from './protocol.ts';
import type { SpentNews } from './spent-news.ts';

export type UntoldAnswer = Omit<KeyAnswer, 'capped'>;
export type UntoldChange = Omit<OrganizationChange, 'capped'>;

export class CappedAnswers {
  readonly #capped: CappedNews;
  readonly #settled: SpentNews;

  constructor(capped: CappedNews, settled: SpentNews) {
    this.#capped = capped;
    this.#settled = settled;
  }

  /** `told`: of `SpentNews`, before anything was read. */
  async read(organizations: ReadonlyMap<OrganizationId, OrganizationSettings>, keys: readonly ServiceKeySettings[], told: number): Promise<void> {
    for (const [id, organization] of organizations) {
      await this.#capped.read(organization, keys.filter((key) => key.organization === id), told);
    }
  }

  /** What settlements and corrections add meanwhile is either in what was read or sent after it. */
  async readFor({ organization, keys }: UntoldChange): Promise<void> {
    if (organization === null) return;
    for (;;) {
      const { told } = this.#settled;
      await this.#capped.read(organization, keys.flatMap(([, key]) => (key === null ? [] : [key])), told);
      if (await this.#settled.look() === told) return;
    }
  }

  /** To be posted in the same turn. What people and labels spent goes with the first answer that needs it. */
  answer(found: UntoldAnswer): KeyAnswer {
    return { ...found, capped: this.#capped.tell(found.organization.id, this.#settled.told) };
  }

  /** To be posted in the same turn. */
  change(change: UntoldChange): OrganizationChange {
    return { ...change, capped: this.#capped.tell(change.id, this.#settled.told) };
  }
}
