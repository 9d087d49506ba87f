/**
 * Reads a secret from standard input, without the line end that `echo` and Enter add. At a terminal it prompts and does not echo. It reads no
 * more than the longest possible credential. @throws UsageFault if the input is longer, or a directory
 */
import { fstatSync } from 'node:fs';
import { UsageFault, type CommandTools } from './command.ts';

const bytesMax = 65_536;

/** `what`: for the prompt, `OpenAI key`. */
export async function readSecret({ stdin, stderr }: Pick<CommandTools, 'stdin' | 'stderr'>, what: string): Promise<string> {
  if (!stdin.isTTY) {
    // Node reads a directory as nothing, and an empty credential may mean that none is needed.
    if (isDirectory(stdin)) throw new UsageFault('Standard input is a directory. Give the credential, or a file that holds it.');
    return withoutLineEnd(await readAll(stdin));
  }
  stderr(`${what} (not shown, then Enter): `);
  stdin.setRawMode(true);
  try {
    return await readTyped(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr('\n');
  }
}

/** Input that is no file, such as that of a test, has no descriptor. */
function isDirectory(stdin: NodeJS.ReadStream): boolean {
  return 'fd' in stdin && typeof stdin.fd === 'number' && fstatSync(stdin.fd).isDirectory();
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new UsageFault('Standard input is too long for a credential. Give only the credential.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function readTyped(stdin: NodeJS.ReadStream): Promise<string> {
  let text = '';
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    for (const character of chunk.toString('utf8')) {
      if (character === '\r' || character === '\n' || character === '\u0004') return text;
      if (character === '\u0003') throw new UsageFault('Cancelled.');
      text = character === '\u007f' || character === '\b' ? text.slice(0, -1) : text + character;
    }
    if (text.length > bytesMax) throw new UsageFault('What was typed is too long for a credential.');
  }
  return text;
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
