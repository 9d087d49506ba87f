/** Notice that a range begins before the organization's oldest record, so that a part of it is missing. */
import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Archive } from 'lucide-react';
import { organizationQuery } from '../api/asked-often.ts';
import { useSession } from '../app/session.ts';
import { Moment } from '../shown/figures.tsx';

export function RecordsGone({ sinceMs }: { readonly sinceMs: number }) {
  const { organization } = useSession();
  const known = useQuery(organizationQuery(organization.id));
  const before = known.data?.recordsGoneBefore ?? null;
  if (before === null || sinceMs >= Date.parse(before)) return null;
  return (
    <Alert icon={<Archive size={18} aria-hidden />}>
      Part of this time is missing: records before <Moment at={before} /> were deleted because of their age.
    </Alert>
  );
}
