/** Reads one line that a person types at the terminal, with echo, without the line end. Input that ends without a line end counts as a line. */
import type { CommandTools } from './command.ts';

const lengthMax = 4_096;

export async function readTypedLine({ stdin, stderr }: Pick<CommandTools, 'stdin' | 'stderr'>, question: string): Promise<string> {
  stderr(question);
  let text = '';
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      text += chunk.toString('utf8');
      if (text.includes('\n') || text.length > lengthMax) break;
    }
  } finally {
    stdin.pause();
  }
  return text.split(/\r?\n/, 1)[0]!;
}
