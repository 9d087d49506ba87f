/** The tools that `metergate login` knows. To add one: a file beside this, and its line here. */
import { aider } from './aider.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { continueDev } from './continue.ts';
import { geminiCli } from './gemini-cli.ts';
import type { Tool } from './tool.ts';

export const tools: readonly Tool[] = [claudeCode, codex, geminiCli, aider, continueDev];
