/** Roles of an organization's members and tokens, weakest first; each has the rights of those before it. Rules: Roles. */

export const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** True if `role` has every right of `least`. */
export function hasRightsOf(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** The one with fewer rights. */
export function weakerOf(one: Role, other: Role): Role {
  return hasRightsOf(one, other) ? other : one;
}

/** As it is stored; a role that is not known has the fewest rights. */
export function roleNamed(text: string): Role {
  return roles.find((role) => role === text) ?? 'viewer';
}
