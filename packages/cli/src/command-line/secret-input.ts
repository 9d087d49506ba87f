/**
 * Reads a secret from standard input, without the line end that `echo` and Enter add. At a terminal it prompts and does not echo. It reads no
 * more than the longest possible credential. @throws UsageFault if the input is longer
 */
import { UsageFault, type CommandTools } from './command.ts';

const bytesMax = 65_536;

/** `what`: for the prompt, `OpenAI key`. */
export async function readSecret({ stdin, stderr }: Pick<CommandTools, 'stdin' | 'stderr'>, what: string): Promise<string> {
  if (!stdin.isTTY) return withoutLineEnd(await readAll(stdin));
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
