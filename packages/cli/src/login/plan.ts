/** Which files a login would write, and with what. Reads the files; writes nothing. Decision 196. */
import { readConfigFile, type ConfigFile } from './files/config-file.ts';
import { isUnfit, type Edited, type Unfit } from './files/edited.ts';
import type { Granted, Machine, Tool, ToolFile } from './tools/tool.ts';

export interface PlannedFile extends ToolFile {
  readonly file: ConfigFile;
  readonly edited: Edited;
}

/** A tool whose files can be written, all of them; or why they cannot. */
export type Planned = { readonly tool: Tool; readonly files: readonly PlannedFile[] } | { readonly tool: Tool; readonly why: string };

export function planTool(tool: Tool, machine: Machine, granted: Granted): Planned {
  const files = tool.files(machine, granted);
  if ('why' in files) return { tool, why: files.why };
  const planned: PlannedFile[] = [];
  for (const each of files) {
    const file = readConfigFile(each.path);
    const edited = isUnfit(file) ? file : each.edit(file.text);
    if (isUnfit(file)) return leftAlone(tool, each.path, file);
    if (isUnfit(edited)) return leftAlone(tool, each.path, edited);
    planned.push({ ...each, file, edited });
  }
  return { tool, files: planned };
}

function leftAlone(tool: Tool, path: string, { unfit }: Unfit): Planned {
  return { tool, why: `${path} ${unfit}. It is left as it is.` };
}

/** Stands for a key before there is one: what it is about is the files that are there. */
const noKeyYet = `svc_live_${'0'.repeat(43)}`;

/** What is wrong with files that can be known before anybody signs in. */
export function wrongAlready(tool: Tool, machine: Machine): string | null {
  const planned = planTool(tool, machine, {
    gatewayUrl: 'http://127.0.0.1', key: noKeyYet, providers: ['openai', 'anthropic'], upstreams: [{ name: 'google', provider: 'google' }],
  });
  return 'why' in planned ? planned.why : null;
}
