/** Continue: the models of its configuration that are OpenAI's and Anthropic's get base URL and key. It names its models itself. */
import { join } from 'node:path';
import { editYamlEntries } from '../files/yaml-text.ts';
import type { Granted, Machine, Tool } from './tool.ts';

const pathOf = ({ home, env }: Machine): string => join(env['CONTINUE_GLOBAL_DIR'] || join(home, '.continue'), 'config.yaml');

export const continueDev: Tool = {
  id: 'continue',
  title: 'Continue',
  isThere: (machine) => machine.exists(pathOf(machine)),
  files(machine, granted) {
    const bases = basesOf(granted);
    if (Object.keys(bases).length === 0) return { why: 'The organization has no key for OpenAI or Anthropic.' };
    return [{
      path: pathOf(machine),
      settings: Object.entries(bases).flatMap(([provider, apiBase]) => [
        { name: `models of ${provider}: apiBase`, value: apiBase }, { name: `models of ${provider}: apiKey`, value: granted.key },
      ]),
      edit(text) {
        const edited = editYamlEntries(text, 'models', ({ provider }) => {
          const apiBase = typeof provider === 'string' && Object.hasOwn(bases, provider) ? bases[provider]! : null;
          return apiBase === null ? null : { apiBase, apiKey: granted.key };
        });
        if ('unfit' in edited || edited.splices.length > 0) return edited;
        return { unfit: `has no model of ${Object.keys(bases).join(' or ')} yet: add one, and run this again` };
      },
    }];
  },
};

function basesOf({ gatewayUrl, providers }: Granted): Readonly<Record<string, string>> {
  return {
    ...(providers.includes('openai') ? { openai: `${gatewayUrl}/v1` } : {}),
    ...(providers.includes('anthropic') ? { anthropic: `${gatewayUrl}/alt/v1` } : {}),
  };
}
