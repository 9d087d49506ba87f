/** Above a page while the platform, or the store for a part of the page, does not answer. The page stays as it is, and goes on by itself. */
import { Alert } from '@mantine/core';
import { CloudOff } from 'lucide-react';
import { useOlderParts } from '../api/client.ts';
import { useAway } from '../api/reach.ts';

export function Away() {
  const [away, older] = [useAway(), useOlderParts()];
  if (!away && !older) return null;
  return (
    <Alert
      mb="md"
      role="status"
      icon={<CloudOff size={18} aria-hidden />}
      title={away ? 'The platform is away' : 'A part of this page is from before'}>
      {away
        ? 'It may be restarting, its store may be away, or the network is gone. What is shown was loaded before. The page goes on by itself.'
        : 'The store does not answer for it right now. The page asks again by itself.'}
    </Alert>
  );
}
