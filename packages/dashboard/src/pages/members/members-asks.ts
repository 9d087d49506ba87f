/** What the page of members asks of the platform. */
import { membersQuery } from '../../api/asked-often.ts';
import { wholeListQuery } from '../../api/whole-list.ts';
import type { PathSearch } from '../../app/page-search.ts';
import { allows, type Asks } from '../../app/session.ts';

export const invitationsQuery = wholeListQuery('/platform/v1/invitations');

export const membersAsks: Asks<PathSearch> = (_, session) => (allows(session, 'admin') ? [membersQuery, invitationsQuery] : []);
