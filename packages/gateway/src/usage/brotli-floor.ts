/**
 * Runtime version → whether its own Brotli decoder is safe with untrusted bytes. Below these versions it can be made to write out of bounds
 * (CVE-2026-111497). A version that cannot be parsed counts as below the floor.
 */

/** First safe minor and patch of each supported line. */
const floors: ReadonlyMap<number, readonly [minor: number, patch: number]> = new Map([[24, [22, 1]], [26, [12, 1]]]);

/** All lines from this one on have had the fix from the start. */
const firstSafeLine = 27;

/** `runtimeVersion` as `process.versions.node` writes it. */
export function nativeBrotliIsSafe(runtimeVersion: string): boolean {
  const numbers = /^v?(\d+)\.(\d+)\.(\d+)$/.exec(runtimeVersion)?.slice(1).map(Number);
  if (numbers === undefined) return false;
  const [line, minor, patch] = numbers as [number, number, number];
  const floor = floors.get(line);
  if (floor === undefined) return line >= firstSafeLine;
  return minor > floor[0] || (minor === floor[0] && patch >= floor[1]);
}
