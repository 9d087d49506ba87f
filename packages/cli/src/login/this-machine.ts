/** The machine that the command runs on, and whether somebody sits at it. */
import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { CommandTools } from '../command-line/command.ts';
import type { Machine } from './tools/tool.ts';

export function machineOf({ env }: CommandTools): Machine {
  const home = env['HOME'] || homedir();
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const endings = process.platform === 'win32' ? ['.cmd', '.exe', '.ps1'] : [''];
  return {
    home, env, exists: existsSync,
    hasProgram: (name) => folders.some((folder) => endings.some((ending) => canRun(join(folder, name + ending)))),
  };
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether a question would reach a person. */
export function mayAsk({ wantsJson, isTerminal, stdin }: CommandTools): boolean {
  return wantsJson !== true && isTerminal && stdin.isTTY === true;
}
