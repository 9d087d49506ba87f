/**
 * May a gateway node hold one more live run (design 3, row 14)? One organization may fill the whole registry while it is alone
 * there, and at most half of it once another holds runs: so no one can keep all others from starting runs.
 */

export interface RegistryRoom {
  /** `SVC_RUN_REGISTRY_MAX`, from 1. */
  readonly capacity: number;
  /** Live runs held now, those being asked for included. */
  readonly live: number;
  /** Of these, the organization's own. */
  readonly liveOfOrganization: number;
}

/** True where one more of this organization's runs fits. Where it does not: `run_registry_full`. */
export function hasRoomForRun({ capacity, live, liveOfOrganization }: RegistryRoom): boolean {
  if (live >= capacity) return false;
  return live === liveOfOrganization || liveOfOrganization < Math.floor(capacity / 2);
}
