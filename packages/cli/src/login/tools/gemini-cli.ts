/** Gemini CLI: variables in the file that it reads them from, and which of its ways to sign in it takes. */
import { join } from 'node:path';
import { editDotenv } from '../files/dotenv-text.ts';
import { editJson } from '../files/json-text.ts';
import type { Machine, Tool } from './tool.ts';

const folderOf = ({ home, env }: Machine): string => join(env['GEMINI_CLI_HOME'] || home, '.gemini');

export const geminiCli: Tool = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  isThere: (machine) => machine.hasProgram('gemini') || machine.exists(folderOf(machine)),
  files(machine, { gatewayUrl, key, upstreams }) {
    const google = upstreams.find(({ provider }) => provider === 'google');
    if (google === undefined) return { why: 'The organization has no enabled upstream whose provider is google.' };
    const variables = { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: `${gatewayUrl}/upstreams/${google.name}` };
    const chosen = { path: ['security', 'auth', 'selectedType'], value: 'gemini-api-key' };
    return [
      {
        path: join(folderOf(machine), '.env'), edit: (text) => editDotenv(text, variables),
        settings: Object.entries(variables).map(([name, value]) => ({ name, value })),
      },
      {
        path: join(folderOf(machine), 'settings.json'), edit: (text) => editJson(text, [chosen]), json: [chosen],
        settings: [{ name: chosen.path.join('.'), value: chosen.value }],
      },
    ];
  },
};
