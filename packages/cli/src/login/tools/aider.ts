/** aider: options in the file of the person's home. */
import { join } from 'node:path';
import { editYaml, type YamlSettings } from '../files/yaml-text.ts';
import type { Machine, Tool } from './tool.ts';

const pathOf = ({ home }: Machine): string => join(home, '.aider.conf.yml');

export const aider: Tool = {
  id: 'aider',
  title: 'aider',
  isThere: (machine) => machine.hasProgram('aider') || machine.exists(pathOf(machine)),
  files(machine, { gatewayUrl, key, providers }) {
    const settings: YamlSettings = {
      ...(providers.includes('openai') ? { 'openai-api-base': `${gatewayUrl}/v1`, 'openai-api-key': key } : {}),
      // It has no option for this base URL: it is a variable of the library that it calls with.
      ...(providers.includes('anthropic') ? { 'anthropic-api-key': key, 'set-env': [`ANTHROPIC_API_BASE=${gatewayUrl}/alt`] } : {}),
    };
    if (Object.keys(settings).length === 0) return { why: 'The organization has no key for OpenAI or Anthropic.' };
    return [{
      path: pathOf(machine), edit: (text) => editYaml(text, settings),
      settings: Object.entries(settings).map(([name, value]) => ({ name, value: typeof value === 'string' ? value : value.join(' ') })),
    }];
  },
};
