/** Claude Code: variables in its user settings. */
import { join } from 'node:path';
import { editJson, jsonAt } from '../files/json-text.ts';
import type { Machine, Tool, ToolFile } from './tool.ts';

const folderOf = ({ home, env }: Machine): string => env['CLAUDE_CONFIG_DIR'] || join(home, '.claude');

export const claudeCode: Tool = {
  id: 'claude-code',
  title: 'Claude Code',
  isThere: (machine) => machine.hasProgram('claude') || machine.exists(folderOf(machine)),
  files(machine, { gatewayUrl, key, providers }) {
    if (!providers.includes('anthropic')) return { why: 'The organization has no key for Anthropic.' };
    const base = { path: ['env', 'ANTHROPIC_BASE_URL'], value: `${gatewayUrl}/alt` };
    const withKey = (name: string) => ({ path: ['env', name], value: key });
    const file: ToolFile = {
      path: join(folderOf(machine), 'settings.json'),
      settings: [{ name: 'env.ANTHROPIC_BASE_URL', value: base.value }, { name: 'env.ANTHROPIC_AUTH_TOKEN', value: key }],
      json: [base, withKey('ANTHROPIC_AUTH_TOKEN'), withKey('ANTHROPIC_API_KEY')],
      edit(text) {
        if (!isStrict(text)) return { unfit: 'is not a JSON object' };
        for (const name of ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX']) {
          if (has(text, name)) return { unfit: `sets ${name}, by which Claude Code calls another provider` };
        }
        // Two credentials of different kinds make it warn at each start: the one that is there gets the key.
        const names = has(text, 'ANTHROPIC_API_KEY')
          ? ['ANTHROPIC_API_KEY', ...(has(text, 'ANTHROPIC_AUTH_TOKEN') ? ['ANTHROPIC_AUTH_TOKEN'] : [])] : ['ANTHROPIC_AUTH_TOKEN'];
        return editJson(text, [base, ...names.map(withKey)]);
      },
    };
    return [file];
  },
};

function has(text: string, name: string): boolean {
  return jsonAt(text, ['env', name])?.value !== undefined;
}

/** It reads no comments. */
function isStrict(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    const value = JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
