/**
 * A claim of an identity provider → the roles it gives. A claim is one text or a list of them. A text is `ROLE`, if there is only one
 * organization, or `ORGANIZATION:ROLE`, with the organization's id or name. Any other group that a provider lists is ignored.
 */
import { hasRightsOf, roles, type Role } from './role.ts';

interface RoleEntry {
  /** Id or name; null: the only organization. */
  readonly organization: string | null;
  readonly role: Role;
}

/** More organizations than this are not looked for: the first ones count. */
export const roleEntriesMax = 200;
const textMax = 400;

/** Each organization once, with the strongest of the roles named for it, in the order of the claim. */
export function roleEntriesOf(claim: unknown): RoleEntry[] {
  const texts = Array.isArray(claim) ? claim : [claim];
  const strongest = new Map<string | null, Role>();
  for (const text of texts) {
    const entry = entryOf(text);
    if (entry === null) continue;
    const known = strongest.get(entry.organization);
    if (known === undefined ? strongest.size < roleEntriesMax : hasRightsOf(entry.role, known)) strongest.set(entry.organization, entry.role);
  }
  return [...strongest].map(([organization, role]) => ({ organization, role }));
}

/** The last colon parts: a name may hold one. */
function entryOf(text: unknown): RoleEntry | null {
  if (typeof text !== 'string' || text.length > textMax) return null;
  const colon = text.lastIndexOf(':');
  const role = roles.find((each) => each === text.slice(colon + 1));
  if (role === undefined) return null;
  if (colon < 0) return { organization: null, role };
  return colon === 0 ? null : { organization: text.slice(0, colon), role };
}
