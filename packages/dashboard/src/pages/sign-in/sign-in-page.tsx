/** Signing in by email and password, or by the identity provider. */
import { Button, Stack, TextInput } from '@mantine/core';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, sentenceOf } from '../../api/client.ts';
import { beginAnew } from '../../app/session.ts';
import { FormFault } from '../../parts/form-fault.tsx';
import { SecretInput } from '../../parts/secret-input.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { ProviderButton } from './provider-button.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { to } = route.useSearch();
  const router = useRouter();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const signIn = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      await ask.POST('/platform/v1/auth/sign-in/email', { body: { email: email.trim(), password } });
      await beginAnew();
      await router.navigate({ href: to ?? '/' });
    } catch (thrown) {
      setFault(sentenceOf(thrown));
      setBusy(false);
    }
  };
  return (
    <EntryFrame title="Sign in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}>
        <Stack>
          <FormFault sentence={fault} />
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            autoFocus
            maxLength={254}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <SecretInput
            label="Password"
            autoComplete="current-password"
            required
            maxLength={1_024}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" loading={busy} fullWidth>
            Sign in
          </Button>
        </Stack>
      </form>
      <ProviderButton to={to ?? '/'} />
    </EntryFrame>
  );
}
