/** Which Node runs the product, and whether it should be updated. Rules: Processes. */
import { floorsInWords } from '../config/runtime-floor.ts';
import { finding, type Finding } from './finding.ts';

/**
 * npm always installs the newest Node it has, so whoever runs the product cannot change its age: it is reported without a warning. A Node of
 * the machine gets a warning if it is below the floor.
 */
export function runtimeFinding({ version, belowFloor }: { readonly version: string; readonly belowFloor: boolean }, execPath: string): Finding {
  if (!belowFloor) return finding('runtime', 'ok', `Node ${version} is at or above the security floor.`);
  const below = `is below the security floor (${floorsInWords()})`;
  return cameWithNpm(execPath)
    ? finding('runtime', 'ok', `Node ${version}, which npm brought, ${below}. Answers in Brotli are therefore decoded outside of Node's own decoder. `
      + 'If this machine gets a Node at the floor, that one is used.')
    : finding('runtime', 'warn', `Node ${version} ${below}: security fixes are missing. Install a newer Node, which is then used.`);
}

/** Parts of Node that are not public and are not used here, each with what that costs: a warning each. */
export function internalsFindings(unused: readonly string[]): Finding[] {
  return unused.map((sentence) => finding('runtime', 'warn', sentence));
}

/** The packages are those that `bin/choose-runtime.mjs` looks for. */
function cameWithNpm(execPath: string): boolean {
  return /[/\\]node_modules[/\\]node-(?:bin-)?(?:linux|darwin|win)-(?:x64|arm64)[/\\]/.test(execPath);
}
