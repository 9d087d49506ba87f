/** Codex: a separate provider in its configuration. */
import { join } from 'node:path';
import { editToml } from '../files/toml-text.ts';
import type { Machine, Tool } from './tool.ts';

const folderOf = ({ home, env }: Machine): string => env['CODEX_HOME'] || join(home, '.codex');

export const codex: Tool = {
  id: 'codex',
  title: 'Codex',
  isThere: (machine) => machine.hasProgram('codex') || machine.exists(folderOf(machine)),
  files(machine, { gatewayUrl, key, providers }) {
    if (!providers.includes('openai')) return { why: 'The organization has no key for OpenAI.' };
    const pairs = { name: 'Metergate', base_url: `${gatewayUrl}/v1`, wire_api: 'responses', experimental_bearer_token: key };
    return [{
      path: join(folderOf(machine), 'config.toml'),
      settings: [
        { name: 'model_provider', value: 'metergate' },
        ...Object.entries(pairs).map(([name, value]) => ({ name: `model_providers.metergate.${name}`, value })),
      ],
      edit: (text) => editToml(text, {
        pair: { name: 'model_provider', value: 'metergate' }, table: { name: ['model_providers', 'metergate'], pairs },
      }),
    }];
  },
};
