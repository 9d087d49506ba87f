/** The person, token or operator behind a request. */
import type { Role } from '@metergate/core/account/role.ts';
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';

/** Who makes the request: a person with a session, or a management token. The role is the one in force now. */
export interface Actor {
  readonly organization: OrganizationId;
  readonly role: Role;
  readonly kind: 'person' | 'token';
  /** The person's or the token's id. */
  readonly id: string;
  /** The person's email, the token's name or its prefix. */
  readonly name: string;
  /** The session's id; null for a token. */
  readonly session: string | null;
  /** Who made the token, with their present role; null: the operator did, or it is no token. */
  readonly maker: { readonly person: PersonId; readonly role: Role } | null;
}
