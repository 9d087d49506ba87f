/**
 * Settings of the server that started last: where it sends provider keys, and which addresses it allows. A command in another shell, with
 * other variables or none, then uses the same settings.
 */
import { eachProvider, type Provider } from '@metergate/core/wire/wire.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface ServerSettings {
  /** Base URLs of the named providers; the sandbox's if it stands in for them. */
  readonly providerUrls: Readonly<Record<Provider, string>>;
  /** CIDRs that a declared upstream and a webhook may use besides public addresses. */
  readonly upstreamAllow: readonly string[];
  readonly sandbox: boolean;
}

export interface KeptServerSettings {
  remember(settings: ServerSettings): Promise<void>;
  /** Null: no server has started on this store yet. */
  last(): Promise<ServerSettings | null>;
}

export function serverSettingsIn({ background: engine }: StoreContext): KeptServerSettings {
  const text = () => engine.read(async (db) => (await db.selectFrom('server_settings').select('settings').executeTakeFirst())?.settings ?? null);
  return {
    async last() {
      const found = await text();
      return found === null ? null : JSON.parse(found) as ServerSettings;
    },
    async remember({ providerUrls, upstreamAllow, sandbox }) {
      const settings = JSON.stringify({ providerUrls: eachProvider((provider) => providerUrls[provider]), upstreamAllow, sandbox });
      if (await text() === settings) return;
      await engine.write(async (transaction) => {
        await transaction.insertInto('server_settings').values({ only: 1, settings })
          .onConflict((conflict) => conflict.column('only').doUpdateSet({ settings })).execute();
      });
    },
  };
}
