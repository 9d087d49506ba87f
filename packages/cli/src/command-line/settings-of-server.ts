/**
 * The server's settings, for a command that runs in another shell. A stored key must not go to a host that the server would not send it to,
 * and both must allow the same addresses. If a variable here differs from the server's, the fault names both values.
 */
import { providers, wires } from '@metergate/core/wire/wire.ts';
import type { KeptServerSettings, ServerSettings } from '@metergate/store/settings/server-settings.ts';
import type { Config } from '../config/config.ts';
import { providerUrlVariables, valueOf, type Environment, type VariableName } from '../config/variables.ts';
import { CommandFault } from './command.ts';

/** This shell's settings, if no server has stored its settings on this store yet. @throws CommandFault `other_settings` */
export async function settingsOfServer(
  { serverSettings }: { readonly serverSettings: Pick<KeptServerSettings, 'last'> }, config: Config, env: Environment,
): Promise<ServerSettings> {
  const own = { providerUrls: config.providerUrls, upstreamAllow: config.upstreamAllow };
  const server = await serverSettings.last();
  if (server === null) return { ...own, sandbox: false };
  if (!server.sandbox) {
    for (const provider of providers) {
      const difference = { here: own.providerUrls[provider], there: `${server.providerUrls[provider]} for ${wires[provider].displayName}` };
      if (own.providerUrls[provider] !== server.providerUrls[provider]) assertUnset(env, providerUrlVariables[provider], difference);
    }
  }
  const [here, there] = [own, server].map(({ upstreamAllow }) => upstreamAllow.join(' ') || 'none');
  if (here !== there) assertUnset(env, 'SVC_UPSTREAM_ALLOW', { here: here!, there: there! });
  return server;
}

function assertUnset(env: Environment, variable: VariableName, { here, there }: { readonly here: string; readonly there: string }): void {
  if (valueOf(env, variable) === null) return;
  throw new CommandFault('other_settings', `${variable} is ${here} here, but the server on this store uses ${there}. `
    + 'Leave the variable out here, or restart the server with it first.');
}
