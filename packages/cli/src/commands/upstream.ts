/**
 * `metergate upstream`: the destinations that an organization declares itself: one without a name, as the specification has it (rule 19), and
 * any number by name (decision 150).
 */
import { upstreamDialects, type UpstreamDialect } from '@metergate/core/usage/dialect-names.ts';
import { isMadeAuth, upstreamAuths, type UpstreamAuth } from '@metergate/core/wire/upstream-auth.ts';
import {
  declareNamedUpstream, disableNamedUpstream, enableNamedUpstream, listNamedUpstreams, removeNamedUpstream, showNamedUpstream,
  type NamedUpstreamPlace, type ShownNamedUpstream,
} from '@metergate/platform/use-cases/named-upstreams.ts';
import {
  declareUpstream, disableUpstream, enableUpstream, removeUpstream, showUpstream, type ShownUpstream,
} from '@metergate/platform/use-cases/upstreams.ts';
import type { UseCaseContext } from '@metergate/platform/use-cases/context.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, commandGroup, type CommandResult } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { onStore, showing } from '../command-line/on-store.ts';
import { settingsOfServer } from '../command-line/settings-of-server.ts';
import { readSecret } from '../command-line/secret-input.ts';
import { fields, table } from '../command-line/table.ts';

const nameArgument = { type: 'string', valueHint: 'NAME', description: 'Which one, by its name; without it, the one behind /upstream/v1' } as const;

const declare = command({
  description: 'Declare a destination, disabled at first, with a credential read from standard input',
  args: {
    org: orgArgument,
    url: { type: 'string', required: true, valueHint: 'URL', description: 'Where calls go; without a name, a trailing /v1 is removed' },
    name: { type: 'string', valueHint: 'NAME', description: 'Calls to /upstreams/NAME/… go there; without it, those to /upstream/v1' },
    auth: { type: 'enum', options: [...upstreamAuths], description: `With a name: how the credential is sent: ${upstreamAuths.join(', ')}` },
    dialect: {
      type: 'enum', options: [...upstreamDialects],
      description: `With a name: what it speaks, if its paths do not show it: ${upstreamDialects.join(', ')}`,
    },
    provider: { type: 'string', valueHint: 'ID', description: 'With a name: whose prices apply, as the price list calls it; default: by its host' },
    'keep-credential': { type: 'boolean', description: 'Keep the stored credential, for the same URL and auth; none is read' },
  },
  run: ({ org, url, name, auth, dialect, provider, 'keep-credential': keeps }, tools) => onStore(tools, async (context, config) => {
    if (name === undefined && (auth ?? dialect ?? provider) !== undefined) {
      return refuseInput('invalid_input', '--auth, --dialect and --provider are for an upstream with a --name.');
    }
    const { upstreamAllow } = await settingsOfServer(context.store, config, tools.env);
    const credential = keeps === true ? null
      : auth === 'none' ? '' : await readSecret(tools, name === undefined ? 'Credential, empty where none is needed' : 'Credential');
    const rules = { allow: upstreamAllow };
    if (name === undefined) return answer(await declareUpstream(context, { organization: org, url, credential }, rules));
    return answerNamed(await declareNamedUpstream(context, {
      organization: org, name, url, credential, provider: provider ?? null,
      auth: (auth ?? 'bearer') as UpstreamAuth, dialect: (dialect ?? null) as UpstreamDialect | null,
    }, rules));
  }),
});

const remove = command({
  description: 'Destroy a declaration and its credential',
  takesAway: true,
  args: { org: orgArgument, name: nameArgument },
  run: ({ org, name }, tools) => onStore(tools, async (context) => {
    const removed = name === undefined ? await removeUpstream(context, org) : await removeNamedUpstream(context, { organization: org, name });
    return isRefusal(removed) ? removed : { json: removed, text: 'The upstream is removed.' };
  }),
});

const list = command({
  description: 'List the upstreams that are declared by name',
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => listNamedUpstreams(context, org), (found) => {
    const rows = found.map(({ name, url, auth, pricedAs, enabled }) => [name, url, auth, pricedAs ?? '-', enabled ? 'yes' : 'no']);
    const heads = ['NAME', 'URL', 'AUTH', 'PRICED AS', 'ENABLED'];
    return { json: found, text: (width) => table(heads, rows, { widthMax: width, shrinks: ['URL', 'NAME'] }) };
  }),
});

const enable = onDeclared('Enable an upstream', { one: enableUpstream, named: enableNamedUpstream });
const disable = onDeclared('Disable an upstream', { one: disableUpstream, named: disableNamedUpstream, takesAway: true });
const show = onDeclared('Show a declaration, without its credential', { one: showUpstream, named: showNamedUpstream });

interface Work {
  readonly one: (context: UseCaseContext, idOrName: string) => Promise<ShownUpstream | AdministrationRefusal>;
  readonly named: (context: UseCaseContext, place: NamedUpstreamPlace) => Promise<ShownNamedUpstream | AdministrationRefusal>;
  readonly takesAway?: boolean;
}

function onDeclared(description: string, { one, named, takesAway = false }: Work) {
  return command({
    description,
    takesAway,
    args: { org: orgArgument, name: nameArgument },
    run: ({ org, name }, tools) => onStore(tools, async (context) =>
      name === undefined ? answer(await one(context, org)) : answerNamed(await named(context, { organization: org, name }))),
  });
}

function answer(result: ShownUpstream | AdministrationRefusal): CommandResult {
  if (isRefusal(result)) return result;
  return { json: result, text: fields([['url', result.url], ['enabled', result.enabled ? 'yes' : 'no'], ['credential', stateOf(result)]]) };
}

function answerNamed(result: ShownNamedUpstream | AdministrationRefusal): CommandResult {
  if (isRefusal(result)) return result;
  const { name, url, auth, dialect, provider, pricedAs, enabled } = result;
  const prices = pricedAs === null ? 'none in the list' : `${pricedAs}, ${provider === null ? 'by its host' : 'as declared'}`;
  return {
    json: result,
    text: fields([
      ['name', name], ['url', url], ['auth', auth],
      ['followed', isMadeAuth(auth) ? 'no: its credential is made for each call' : 'if the organization has --follow on'],
      ['dialect', dialect ?? 'by its paths'], ['prices', prices],
      ['enabled', enabled ? 'yes' : 'no'], ['credential', stateOf(result)],
    ]),
  };
}

function stateOf({ state, hasCredential }: Pick<ShownUpstream, 'state' | 'hasCredential'>): string {
  return state === 'unreadable' ? 'stored, cannot be read' : hasCredential ? 'stored' : 'none';
}

export const upstream = commandGroup("Declare, enable, disable, list and remove an organization's own destinations", {
  declare, enable, disable, remove, show, list,
});
