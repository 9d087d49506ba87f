/** The form that sets a password: for a person who joins, and for one who has a password link. */
import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { sentenceOf } from '../../api/client.ts';
import { FormFault } from '../../parts/form-fault.tsx';
import { SecretInput } from '../../parts/secret-input.tsx';

const lengthMin = 12;

export function NewPassword({
  withEmail,
  act,
  onSend,
}: {
  readonly withEmail: boolean;
  readonly act: string;
  readonly onSend: (entered: { email: string; password: string }) => Promise<void>;
}) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    if (password !== again) return setFault('The two passwords are not the same.');
    setBusy(true);
    setFault(null);
    try {
      await onSend({ email: email.trim(), password });
    } catch (thrown) {
      setFault(sentenceOf(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}>
      <Stack>
        <FormFault sentence={fault} />
        {withEmail ? (
          <TextInput
            id="email"
            label="Email"
            type="email"
            autoComplete="username"
            required
            maxLength={254}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        ) : null}
        <SecretInput
          id="password"
          label="Password"
          description={`${lengthMin} characters or more.`}
          autoComplete="new-password"
          required
          maxLength={256}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <SecretInput
          id="again"
          label="Password again"
          autoComplete="new-password"
          required
          maxLength={256}
          value={again}
          onChange={(event) => setAgain(event.currentTarget.value)}
        />
        <Button type="submit" loading={busy} fullWidth>
          {act}
        </Button>
      </Stack>
    </form>
  );
}
