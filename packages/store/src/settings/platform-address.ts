/** The address of the platform that started last. The command uses it in links that it makes in another shell, with other settings. */
import type { StoreContext } from '../sealing/context.ts';

export interface PlatformAddress {
  /** `url`: without a trailing slash. */
  remember(url: string): Promise<void>;
  /** Null: no platform has started on this store yet. */
  last(): Promise<string | null>;
}

export function platformAddressIn({ background: engine }: StoreContext): PlatformAddress {
  const last = () => engine.read(async (db) => (await db.selectFrom('platform_address').select('url').executeTakeFirst())?.url ?? null);
  return {
    last,
    async remember(url) {
      if (await last() === url) return;
      await engine.write(async (transaction) => {
        await transaction.insertInto('platform_address').values({ only: 1, url })
          .onConflict((conflict) => conflict.column('only').doUpdateSet({ url })).execute();
      });
    },
  };
}
