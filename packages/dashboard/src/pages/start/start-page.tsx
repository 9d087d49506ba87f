/**
 * From nothing to a metered call and a limit that holds, without leaving the browser: a provider key, a service key, a call sent from the page or
 * by the client that one has, a cap and its refusal. What is done already is known and stands closed.
 */
import { Divider, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { productQuery, providersQuery } from '../../api/asked-often.ts';
import type { Shown } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { KeyForm, type MintedKey } from '../../parts/key-form.tsx';
import { SecretOnce } from '../../parts/copying.tsx';
import { Page } from '../../parts/page.tsx';
import { ProviderSetup } from '../../parts/provider-setup.tsx';
import { Coming, Loaded } from '../../parts/states.tsx';
import { wholeCount } from '../../shown/amounts.ts';
import { Money, Moment } from '../../shown/figures.tsx';
import { keysQuery } from '../../shown/key-names.ts';
import { providerNames } from '../../shown/provider-names.ts';
import { LimitTrial } from './limit-trial.tsx';
import { Snippets } from './snippets.tsx';
import { firstCallQuery, firstRefusalQuery } from './start-asks.ts';
import { Step } from './step.tsx';
import { TestCallForm, useTestCall } from './test-call.tsx';

export function StartPage() {
  const [made, setMade] = useState<MintedKey | null>(null);
  const [admin, member] = [useMay('admin'), useMay('member')];
  const product = useQuery(productQuery);
  const providers = useQuery({ ...providersQuery, enabled: admin });
  const keys = useQuery(keysQuery);
  const calls = useQuery({ ...firstCallQuery, ...untilOne });
  const refused = useQuery({ ...firstRefusalQuery, ...untilOne });
  const connected = (providers.data?.data ?? []).flatMap(({ provider, state }) => (state === 'connected' ? [provider] : []));
  const testCall = useTestCall(connected);
  const live = (keys.data?.data ?? []).filter(isLive);
  const call = calls.data?.data[0] as Shown<'CallRecord'> | undefined;
  const refusal = refused.data?.data[0] as Shown<'Refusal'> | undefined;
  const sandbox = product.data?.sandbox === true;
  const connectedSaid = connected.map((provider) => providerNames[provider]).join(', ') + (sandbox ? ', simulated' : '');
  const done = { provider: connected.length > 0, key: live.length > 0, call: call !== undefined, limit: refusal !== undefined };
  const shown = [...(admin ? [done.provider] : []), ...(member ? [done.key] : []), done.call, ...(admin ? [done.limit] : [])];
  const at = (step: number): number => step - (admin ? 0 : 1) - (member || step < 3 ? 0 : 1);
  const count = shown.filter(Boolean).length;
  // A step that is done must not stand open, or count as missing, until that is known.
  const known = [keys, calls, refused, ...(admin ? [providers] : [])].every(({ isPending }) => !isPending);
  const about = count === shown.length ? 'Everything is in place.' : `${count} of ${shown.length} steps are done.`;
  if (!known) return <Page title="Get started" about="From a provider key to a first call."><Coming height={480} /></Page>;
  return (
    <Page title="Get started" about={about}>
      <Stack gap="md" maw={880}>
        <Progress size="sm" value={(count / shown.length) * 100} aria-label="Steps done" />
        {admin ? (
          <Step at={at(1)} title="Connect a provider key" done={done.provider} found={connectedSaid}>
            <Loaded of={providers} height={120}>
              {({ data }) => <ProviderSetup connections={data} sandbox={sandbox} />}
            </Loaded>
          </Step>
        ) : null}
        {member ? (
          <Step
            at={at(2)}
            title="Make a service key"
            done={done.key}
            kept={made !== null}
            found={
              <>
                <Link to="/keys">{wholeCount(live.length)} in use</Link>; {live.length === 1 ? 'it' : 'one of them'} can be pasted into the next step
              </>
            }>
            {made === null ? (
              <KeyForm
                onMade={(key) => {
                  setMade(key);
                  testCall.setServiceKey(key.key);
                }}
              />
            ) : (
              <SecretOnce secret={made.key} name="service key" />
            )}
          </Step>
        ) : null}
        <Step
          at={at(3)}
          title="Send a call"
          done={done.call}
          kept={testCall.serviceKey !== '' || !done.limit || !done.call}
          found={call === undefined ? undefined : <LastCall of={call} />}>
          <Stack gap="lg">
            {member ? (
              <TestCallForm of={testCall} providers={connected} sandbox={sandbox} />
            ) : null}
            <FirstCall call={call} />
            <Divider label="or with the client that you have" labelPosition="left" />
            <Loaded of={product} height={240}>
              {({ gatewayUrl }) => <Snippets gatewayUrl={gatewayUrl} serviceKey={wholeKey(testCall.serviceKey)} />}
            </Loaded>
          </Stack>
        </Step>
        {admin ? (
          <Step
            at={at(4)}
            title="See a limit hold"
            done={done.limit}
            kept={testCall.serviceKey !== ''}
            found={refusal === undefined ? undefined : <LastRefusal of={refusal} />}>
            <LimitTrial called={done.call} call={testCall} />
          </Step>
        ) : null}
      </Stack>
    </Page>
  );
}

/** The key if it has the form of one. */
function wholeKey(text: string): string | null {
  return /^svc_live_\w{40,}$/.test(text.trim()) ? text.trim() : null;
}

/** Asked for again every second until there is one. */
const untilOne = {
  refetchInterval: ({ state }: { readonly state: { readonly data?: { readonly data: readonly unknown[] } | undefined } }) =>
    state.data?.data.length === 0 ? 1_000 : false,
} as const;

function isLive({ revokedAt, disabledAt, expiresAt }: Shown<'ServiceKey'>): boolean {
  return revokedAt === null && disabledAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now());
}

function LastCall({ of: call }: { readonly of: Shown<'CallRecord'> }) {
  return (
    <>
      {call.model ?? 'A call without a model'}, <Moment at={call.startedAt} relative />, <Money amount={call.cost} none="cost unknown" />
    </>
  );
}

function LastRefusal({ of: { refusedAt } }: { readonly of: Shown<'Refusal'> }) {
  return (
    <>
      A call was refused <Moment at={refusedAt} relative />. <Link to="/refusals">Refusals</Link> lists them one by one.
    </>
  );
}

function FirstCall({ call }: { readonly call: Shown<'CallRecord'> | undefined }) {
  if (call === undefined) {
    return (
      <Text size="sm" c="dimmed" role="status">
        Waiting for the first call. It shows up here within a second of its answer.
      </Text>
    );
  }
  return (
    <Text size="sm" role="status">
      <b>A call came through</b>: <LastCall of={call} />.{' '}
      <Link to="/calls" search={{ call: call.id }}>
        Look at it
      </Link>{' '}
      or go to the <Link to="/">overview</Link>.
    </Text>
  );
}
