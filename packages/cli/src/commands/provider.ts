/** `metergate provider`: an organization's keys at the named providers. A key comes on standard input and is never shown. Rules: Interfaces. */
import { providers, wires, type Provider } from '@metergate/core/wire/wire.ts';
import { connectProvider, disconnectProvider, type ShownConnection } from '@metergate/platform/use-cases/providers.ts';
import { testProvider } from '@metergate/platform/use-cases/provider-test.ts';
import { isRefusal, type AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, commandGroup, UsageFault, type CommandResult } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { onStore } from '../command-line/on-store.ts';
import { settingsOfServer } from '../command-line/settings-of-server.ts';
import { readSecret } from '../command-line/secret-input.ts';

const args = {
  provider: { type: 'positional', required: true, valueHint: providers.join('|'), description: 'The provider' },
  org: orgArgument,
} as const;

const connect = command({
  description: 'Connect a provider key read from standard input, replacing an earlier one',
  args,
  run: ({ provider, org }, tools) => {
    const named = providerOf(provider);
    return onStore(tools, async (context) => {
      const credential = await readSecret(tools, `${wires[named].displayName} key`);
      return answer(await connectProvider(context, { organization: org, provider: named, credential }), 'is connected');
    });
  },
});

const disconnect = command({
  description: 'Destroy the stored provider key',
  takesAway: true,
  args,
  run: ({ provider, org }, tools) => {
    const named = providerOf(provider);
    return onStore(tools, async (context) =>
      answer(await disconnectProvider(context, { organization: org, provider: named }), 'is disconnected'));
  },
});

const test = command({
  description: 'Check that the provider accepts the stored key',
  args,
  run: ({ provider, org }, tools) => {
    const named = providerOf(provider);
    return onStore(tools, async (context, config) => {
      const { providerUrls: urls } = await settingsOfServer(context.store, config, tools.env);
      const tested = await testProvider(context, { organization: org, provider: named, urls });
      if (isRefusal(tested)) return tested;
      const said = tested.accepted === true ? 'takes the key' : tested.accepted === false ? 'does not take the key' : 'could not say';
      const text = `${wires[named].displayName} at ${new URL(urls[named]).host} ${said} (status ${tested.status}).`;
      return { json: tested, text, exitCode: tested.accepted === true ? 0 : 1 };
    });
  },
});

function providerOf(text: string): Provider {
  const found = providers.find((each) => each === text);
  if (found === undefined) throw new UsageFault(`the provider must be one of ${providers.join(', ')}.`);
  return found;
}

function answer(result: ShownConnection | AdministrationRefusal, done: string): CommandResult {
  return isRefusal(result) ? result : { json: result, text: `${wires[result.provider].displayName} ${done}.` };
}

export const provider = commandGroup('Connect, disconnect and test provider keys', { connect, disconnect, test });
