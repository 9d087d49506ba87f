/** A tool whose settings `metergate login` can write. Decision 196. */
import type { JsonEdit } from '../files/json-text.ts';
import type { Edited, Setting, Unfit } from '../files/edited.ts';

/** What a sign-in gave, as settings need it. Every text in it was checked: it needs no escaping in any form of file. */
export interface Granted {
  /** Without a slash at its end. */
  readonly gatewayUrl: string;
  readonly key: string;
  /** Named providers that the organization has a key for. */
  readonly providers: readonly string[];
  readonly upstreams: readonly { readonly name: string; readonly provider: string | null }[];
}

/** The person's machine, as tools look for their settings. */
export interface Machine {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a program of that name can be started. */
  readonly hasProgram: (name: string) => boolean;
  readonly exists: (path: string) => boolean;
}

/** One file of a tool, and how its settings get into it. */
export interface ToolFile {
  readonly path: string;
  readonly settings: readonly Setting[];
  readonly edit: (text: string) => Edited | Unfit;
  /** Of a JSON file: what is set, so that it can be taken back from a file that was written anew. */
  readonly json?: readonly JsonEdit[];
}

export interface Tool {
  readonly id: string;
  readonly title: string;
  /** Whether it is on this machine. */
  isThere(machine: Machine): boolean;
  /** Its files, or why it cannot be set up here, as a sentence. */
  files(machine: Machine, granted: Granted): readonly ToolFile[] | { readonly why: string };
}
