/** Above a page while the platform does not answer. The page stays as it is, and goes on by itself. */
import { Alert } from '@mantine/core';
import { CloudOff } from 'lucide-react';
import { useAway } from '../api/reach.ts';

export function Away() {
  if (!useAway()) return null;
  return (
    <Alert mb="md" role="status" icon={<CloudOff size={18} aria-hidden />} title="The platform is away">
      It may be restarting, its store may be away, or the network is gone. What is shown was loaded before. The page goes on by itself.
    </Alert>
  );
}
