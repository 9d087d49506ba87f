/** `metergate upstream`: the one destination that an organization declares itself. Rule 19; rules: Interfaces. */
import {
  declareUpstream, disableUpstream, enableUpstream, removeUpstream, showUpstream, type ShownUpstream,
} from '@metergate/platform/use-cases/upstreams.ts';
import type { UseCaseContext } from '@metergate/platform/use-cases/context.ts';
import { isRefusal, type AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, commandGroup, type CommandResult } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { onStore } from '../command-line/on-store.ts';
import { settingsOfServer } from '../command-line/settings-of-server.ts';
import { readSecret } from '../command-line/secret-input.ts';
import { fields } from '../command-line/table.ts';


const declare = command({
  description: 'Declare the destination, disabled at first, with a credential read from standard input',
  args: {
    org: orgArgument,
    url: { type: 'string', required: true, valueHint: 'URL', description: 'Where calls go; a trailing /v1 is removed' },
  },
  run: ({ org, url }, tools) => onStore(tools, async (context, config) => {
    const { upstreamAllow } = await settingsOfServer(context.store, config, tools.env);
    const credential = await readSecret(tools, 'Credential, empty where none is needed');
    return answer(await declareUpstream(context, { organization: org, url, credential }, { allow: upstreamAllow }));
  }),
});

const remove = command({
  description: 'Destroy the declaration and its credential',
  takesAway: true,
  args: { org: orgArgument },
  run: ({ org }, tools) => onStore(tools, async (context) => {
    const removed = await removeUpstream(context, org);
    return isRefusal(removed) ? removed : { json: removed, text: 'The upstream is removed.' };
  }),
});

const enable = onDeclared('Enable the upstream', enableUpstream);
const disable = onDeclared('Disable the upstream', disableUpstream, true);
const show = onDeclared('Show the declaration, without its credential', showUpstream);

function onDeclared(
  description: string, work: (context: UseCaseContext, idOrName: string) => Promise<ShownUpstream | AdministrationRefusal>, takesAway = false,
) {
  return command({
    description,
    takesAway,
    args: { org: orgArgument },
    run: ({ org }, tools) => onStore(tools, async (context) => answer(await work(context, org))),
  });
}

function answer(result: ShownUpstream | AdministrationRefusal): CommandResult {
  if (isRefusal(result)) return result;
  const { url, enabled, hasCredential, state } = result;
  const credential = state === 'unreadable' ? 'stored, cannot be read' : hasCredential ? 'stored' : 'none';
  return { json: result, text: fields([['url', url], ['enabled', enabled ? 'yes' : 'no'], ['credential', credential]]) };
}

export const upstream = commandGroup("Declare, enable, disable, show and remove an organization's own destination", {
  declare, enable, disable, remove, show,
});
