/** The page behind an invitation: set an email and a password, and become a member. */
import { Alert, Button, Divider, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { ask, sentenceOf } from '../../api/client.ts';
import { useState } from 'react';
import { beginAnew, sessionQuery, wasSignedIn } from '../../app/session.ts';
import { cameBack, keepLinkToken, linkToken } from '../../app/link-token.ts';
import { FormFault } from '../../parts/form-fault.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { NewPassword } from './new-password.tsx';
import { ProviderButton } from './provider-button.tsx';

export function JoinPage() {
  const router = useRouter();
  const [fault, setFault] = useState<string | null>(null);
  const signedInAs = useQuery({ ...sessionQuery, enabled: linkToken !== '' && (cameBack || wasSignedIn()) }).data?.email ?? null;
  const join = async (by: { readonly email?: string; readonly password?: string }): Promise<void> => {
    const { data } = await ask.POST('/platform/v1/auth/invitations/accept', { body: { token: linkToken, ...by } });
    await beginAnew();
    await router.navigate({ to: data?.role === 'owner' || data?.role === 'admin' ? '/start' : '/' });
  };
  if (linkToken === '') {
    return (
      <EntryFrame title="Set up your account">
        <Alert role="alert">
          This address is not complete. Open the whole link again.
        </Alert>
      </EntryFrame>
    );
  }
  return (
    <EntryFrame
      title="Set up your account"
      about="This link works once. Choose your email and password. If you already have an account here, use its email and password.">
      {signedInAs === null ? null : (
        <Stack mb="md">
          <FormFault sentence={fault} />
          <Button fullWidth className="wrap" onClick={() => void join({}).catch((thrown: unknown) => setFault(sentenceOf(thrown)))}>
            Join as {signedInAs}
          </Button>
          <Divider label="or" />
        </Stack>
      )}
      <NewPassword
        withEmail
        act="Set up"
        onSend={join}
      />
      <ProviderButton to="/join" onLeave={keepLinkToken} />
    </EntryFrame>
  );
}
