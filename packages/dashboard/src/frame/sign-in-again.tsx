/** A sign-in form over the page when a session has ended. The page behind stays as it is, so that nothing typed is lost. */
import { Button, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ask, queries, Refused, sentenceOf } from '../api/client.ts';
import { useSession } from '../app/session.ts';
import { ProviderButton } from '../pages/sign-in/provider-button.tsx';
import { SecretInput } from '../parts/secret-input.tsx';

export function SignInAgain({ onClose }: { readonly onClose: () => void }) {
  const { email, organization } = useSession();
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const signIn = async (): Promise<void> => {
    setBusy(true);
    try {
      await ask.POST('/platform/v1/auth/sign-in/email', { body: { email: email ?? '', password } });
      // A new session is for the person's first organization; what was typed here is for the shown one.
      await ask.POST('/platform/v1/auth/organization', { body: { organization: organization.id } });
      onClose();
      await queries.invalidateQueries();
    } catch (thrown) {
      // The person is no longer a member there.
      if (thrown instanceof Refused && thrown.code === 'unknown_organization') return location.assign('/');
      setFault(sentenceOf(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title="Your session ended" closeOnClickOutside={false} zIndex={1_000}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}>
        <Stack>
          <Text size="sm">
            Sign in again as <b className="wrap">{email}</b> and go on: what you typed is still there.
          </Text>
          <input type="hidden" autoComplete="username" value={email ?? ''} readOnly />
          <SecretInput
            label="Password"
            autoComplete="current-password"
            required
            data-autofocus
            value={password}
            error={fault}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" loading={busy}>
            Sign in again
          </Button>
        </Stack>
      </form>
      <ProviderButton to={window.location.pathname + window.location.search} />
    </Modal>
  );
}
