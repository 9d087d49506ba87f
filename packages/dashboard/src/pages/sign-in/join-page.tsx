/** The page behind an invitation: set an email and a password, and be a member. */
import { Alert } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { ask } from '../../api/client.ts';
import { beginAnew } from '../../app/session.ts';
import { linkToken } from '../../app/link-token.ts';
import { EntryFrame } from './entry-frame.tsx';
import { NewPassword } from './new-password.tsx';

export function JoinPage() {
  const router = useRouter();
  if (linkToken === '') {
    return (
      <EntryFrame title="Set up your account">
        <Alert color="yellow" role="alert">
          This address is not complete. Open the whole link again.
        </Alert>
      </EntryFrame>
    );
  }
  return (
    <EntryFrame
      title="Set up your account"
      about="This link works once. Choose your email and password. If you already have an account here, use its email and password.">
      <NewPassword
        withEmail
        act="Set up"
        onSend={async ({ email, password }) => {
          const { data } = await ask.POST('/platform/v1/auth/invitations/accept', { body: { token: linkToken, email, password } });
          await beginAnew();
          await router.navigate({ to: data?.role === 'owner' || data?.role === 'admin' ? '/start' : '/' });
        }}
      />
    </EntryFrame>
  );
}
