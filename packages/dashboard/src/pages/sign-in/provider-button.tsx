/** The way to sign in by an identity provider, if one is configured: the browser goes there and comes back to `to`. */
import { Button, Divider } from '@mantine/core';
import { api } from '../../api/client.ts';

export function ProviderButton({ to, onLeave }: { readonly to: string; readonly onLeave?: () => void }) {
  const { data } = api.useQuery('get', '/platform/v1/auth/ways', {}, { staleTime: Infinity, retry: 1 });
  const provider = data?.openIdConnect ?? null;
  if (provider === null) return null;
  return (
    <>
      <Divider label="or" mt="md" />
      <Button component="a" onClick={onLeave} href={`${provider.start}?to=${encodeURIComponent(to)}`} variant="default" fullWidth mt="md">
        Sign in with {provider.name}
      </Button>
    </>
  );
}
