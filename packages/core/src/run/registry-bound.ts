/**
 * Whether a gateway node may hold one more live run (rule 14). One organization holds at most half of the registry, even when it is
 * alone there. So an organization that comes later finds room at once and need not wait until another's runs have ended.
 */

interface RegistryRoom {
  /** `SVC_RUN_REGISTRY_MAX`, from 1. */
  readonly capacity: number;
  /** Live runs held now, those being asked for included. */
  readonly live: number;
  /** Of these, the organization's own. */
  readonly liveOfOrganization: number;
}

/** True if one more of this organization's runs fits. Otherwise the call is refused with `run_registry_full`. */
export function hasRoomForRun({ capacity, live, liveOfOrganization }: RegistryRoom): boolean {
  return live < capacity && liveOfOrganization < Math.max(1, Math.floor(capacity / 2));
}
