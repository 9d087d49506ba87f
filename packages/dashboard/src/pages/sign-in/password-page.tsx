/** The page behind a password link: set a new password and be signed in with it. */
import { Alert, Text } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { ask } from '../../api/client.ts';
import { beginAnew } from '../../app/session.ts';
import { linkToken } from '../../app/link-token.ts';
import { EntryFrame } from './entry-frame.tsx';
import { NewPassword } from './new-password.tsx';

export function PasswordPage() {
  const router = useRouter();
  if (linkToken === '') {
    return (
      <EntryFrame title="Set your password">
        <Alert role="alert">
          This address is not complete. Open the whole link again.
        </Alert>
        <Text size="sm" mt="md">
          Are you signed in? Then <Link to="/settings" search={{ tab: 'you' }}>change your password</Link> in your settings.
        </Text>
      </EntryFrame>
    );
  }
  return (
    <EntryFrame title="Set your password" about="This link works once. Wherever you are signed in now, you will be signed out.">
      <NewPassword
        withEmail={false}
        act="Set password"
        onSend={async ({ password }) => {
          await ask.POST('/platform/v1/auth/password-links/use', { body: { token: linkToken, password } });
          await beginAnew();
          await router.navigate({ to: '/' });
        }}
      />
    </EntryFrame>
  );
}
