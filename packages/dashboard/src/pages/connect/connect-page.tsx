/**
 * A machine asks for a key: what it is, what it would get, and the person's decision. With `id` the machine opened this page in its own browser;
 * without it the person types the code that the machine shows. No key is on this page or in any address.
 */
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, type Shown } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { useDoing } from '../../parts/doing.ts';
import { Facts } from '../../parts/facts.tsx';
import { TermsText } from '../../parts/own-keys.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Submit } from '../../parts/submit.tsx';
import { Moment } from '../../shown/figures.tsx';
import { machineQuery } from './connect-asks.ts';

const route = getRouteApi('/shell/connect');
type SignIn = Shown<'MachineSignIn'>;

export function ConnectPage() {
  const { id } = route.useSearch();
  const [found, setFound] = useState<SignIn | null>(null);
  return (
    <Page title="Let a machine sign in" about="A command on a machine, metergate login, asks for a service key of yours.">
      <Stack maw={640}>
        {id !== undefined ? <Opened id={id} /> : found === null ? <CodeForm onFound={setFound} /> : <Decision of={found} />}
      </Stack>
    </Page>
  );
}

function Opened({ id }: { readonly id: string }) {
  const signIn = useQuery(machineQuery(id));
  return (
    <Loaded of={signIn} height={240}>
      {(data) => (data.byBrowser ? <Decision of={data} /> : <Text size="sm">Type the code that the machine shows,
        at this address without what follows the question mark.</Text>)}
    </Loaded>
  );
}

function CodeForm({ onFound }: { readonly onFound: (found: SignIn) => void }) {
  const [code, setCode] = useState('');
  const finding = useDoing({
    run: async () => (await ask.POST('/platform/v1/auth/machine-sign-ins/find', { body: { userCode: code.trim() } })).data!,
    changes: [],
    after: onFound,
  });
  return (
    <Panel title="The code on the machine">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          finding.mutate(undefined);
        }}>
        <Stack>
          <Alert role="note">
            Type a code only if you started metergate login yourself, just now,
              and see the code there. Whoever sent you a code would get a key of yours.
          </Alert>
          <TextInput
            label="Code"
            description="Eight letters, such as BCDF-GHJK."
            autoComplete="off"
            spellCheck={false}
            maxLength={40}
            required
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <Submit busy={finding.isPending} disabled={code.trim() === ''}>Continue</Submit>
        </Stack>
      </form>
    </Panel>
  );
}

function Decision({ of: signIn }: { readonly of: SignIn }) {
  const { email, organization } = useSession();
  const [done, setDone] = useState<'allowed' | 'refused' | null>(null);
  const path = { params: { path: { id: signIn.id } } };
  const after = (decided: 'allowed' | 'refused') => ({ returnTo }: Shown<'MachineSignInDecided'>) => {
    if (returnTo === null) setDone(decided);
    // To the machine's own loopback address: what it brings is good once, and only with what the machine holds.
    else window.location.replace(returnTo);
  };
  const allowing = useDoing({
    run: async () => (await ask.POST('/platform/v1/auth/machine-sign-ins/{id}/allow', path)).data!, changes: ['/platform/v1/keys'],
      after: after('allowed'),
  });
  const refusing = useDoing({
    run: async () => (await ask.POST('/platform/v1/auth/machine-sign-ins/{id}/refuse', path)).data!, changes: [],
    after: after('refused'),
  });
  if (done !== null || signIn.state !== 'open') {
    const state = done ?? signIn.state;
    return (
      <Panel>
        <Stack>
          <Text>{state === 'refused' ? 'The machine gets nothing.'
            : 'The machine has been allowed, for a minute. Go back to its terminal. If that was not your machine, take it back now; '
              + 'if it has its key already, revoke that under Service keys.'}</Text>
          {state !== 'allowed' ? null : (
            <Group justify="flex-end">
              <Button variant="default" loading={refusing.isPending} onClick={() => refusing.mutate(undefined)}>
                Take it back
              </Button>
            </Group>
          )}
        </Stack>
      </Panel>
    );
  }
  return (
    <Panel title={`Give ${signIn.machine} a key of yours?`}>
      <Stack>
        <Facts
          rows={[
            ['Machine', <span className="wrap">{signIn.machine}, as it says itself</span>],
            ['Network address', <span className="mono">{signIn.address === '' ? 'unknown' : signIn.address}</span>],
            ['Began', <Moment at={signIn.startedAt} />],
            ['You', email],
            ['Organization', organization.name],
          ]}
        />
        <Text size="sm">
          It gets a new service key that is yours. With it, calls to models are made and paid for in this organization, under your name, until the
          key ends or is revoked under Service keys. It ends when you leave.
        </Text>
        {signIn.terms === null ? null : <TermsText of={signIn.terms} />}
        <Alert role="note">
          {signIn.byBrowser
            ? 'Allow this only if you started metergate login on this machine just now.'
            : 'Allow this only if you started metergate login on that machine yourself, just now.'}
        </Alert>
        {signIn.mayAllow ? null : <Text size="sm">A key of your own needs the role member. Ask an admin.</Text>}
        <Group justify="flex-end">
          <Button variant="default" loading={refusing.isPending} onClick={() => refusing.mutate(undefined)}>
            Refuse
          </Button>
          <Button disabled={!signIn.mayAllow} loading={allowing.isPending} onClick={() => allowing.mutate(undefined)}>
            Allow
          </Button>
        </Group>
      </Stack>
    </Panel>
  );
}
