/** Has the gateway thread of a running product compute for ever, without a debugger: Node would wait for that one at its end. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface HangingGateway {
  /** For the product. */
  readonly env: { readonly NODE_OPTIONS: string; readonly METERGATE_TEST_HANG: string };
  /** It hangs within a moment. */
  hang(): void;
}

/** `file`: a path where nothing is. */
export function hangingGateway(file: string): HangingGateway {
  const hook = fileURLToPath(new URL('hanging-thread.mjs', import.meta.url));
  return { env: { NODE_OPTIONS: `--import=${hook}`, METERGATE_TEST_HANG: file }, hang: () => writeFileSync(file, '') };
}
