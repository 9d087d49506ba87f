/**
 * A Node version → is it below the security floor, so that it lacks known security fixes? Rules: Processes. The figures
 * are one file, `runtime-floor.json`, which the launcher reads too. A version that cannot be parsed counts as below.
 */
import floors from './runtime-floor.json' with { type: 'json' };

/** From this major version on every release carries the fixes that the floor stands for. */
const fixedFromMajor = 27;

/** `version` as `process.versions.node` writes it. Lines without a floor (22, 25) are below. */
export function runtimeBelowFloor(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major >= fixedFromMajor) return false;
  const floor = (floors as Readonly<Record<string, string>>)[String(major)];
  if (floor === undefined) return true;
  const [, floorMinor = 0, floorPatch = 0] = floor.split('.').map(Number);
  return !(minor > floorMinor || (minor === floorMinor && patch >= floorPatch));
}

/** The floors in words, for sentences: `24.22.1 or 26.12.1`. */
export function floorsInWords(): string {
  return Object.values(floors).join(' or ');
}
