/** Every way into the person's own account; each can be ended. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { KeyRound, MonitorSmartphone, ShieldCheck, Ticket, type LucideIcon } from 'lucide-react';
import { ask, type Shown } from '../../api/client.ts';
import { leaveSession } from '../../app/session.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { useDoing } from '../../parts/doing.ts';
import { Loaded } from '../../parts/states.tsx';
import { Moment } from '../../shown/figures.tsx';
import { waysInQuery } from './settings-asks.ts';

type WayIn = Shown<'WayIn'>;
const changes = ['/platform/v1/auth/ways-in', '/platform/v1/tokens'];

const kinds: Readonly<Record<WayIn['kind'], { readonly icon: LucideIcon; readonly title: string; readonly act: string; readonly done: string }>> = {
  password: { icon: KeyRound, title: 'Password', act: 'Remove', done: 'The password is removed.' },
  identity: { icon: ShieldCheck, title: 'Identity provider', act: 'Remove', done: 'You no longer sign in through this provider.' },
  session: { icon: MonitorSmartphone, title: 'Session', act: 'End', done: 'The session ended.' },
  token: { icon: Ticket, title: 'Management token', act: 'Revoke', done: 'The token is revoked.' },
};

export function WaysInPanel() {
  const ways = useQuery(waysInQuery);
  return (
    <Loaded of={ways} height={220}>
      {({ data }) => {
        const signIns = data.filter(({ kind }) => kind === 'password' || kind === 'identity').length;
        return (
          <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {data.map((way) => (
              <Way key={way.id} of={way} last={signIns === 1 && (way.kind === 'password' || way.kind === 'identity')} />
            ))}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function Way({ of: way, last }: { readonly of: WayIn; readonly last: boolean }) {
  const { icon: Icon, title, act, done } = kinds[way.kind];
  const question = useQuestion();
  const navigate = useNavigate();
  const ending = useDoing({
    run: () => ask.DELETE('/platform/v1/auth/ways-in/{id}', { params: { path: { id: way.id } } }),
    done,
    changes: way.current ? [] : changes,
    after: () => {
      question.close();
      if (way.current) void leaveSession(() => navigate({ to: '/sign-in' }));
    },
  });
  return (
    <Group component="li" justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
      <Group align="flex-start" wrap="nowrap" gap="sm" style={{ minWidth: 0 }}>
        <Icon size={18} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text fw={500} size="sm">
              {title}
            </Text>
            {way.current ? <Badge variant="light">This session</Badge> : null}
          </Group>
          {about(way) === '' ? null : (
            <Text size="sm" className="wrap">
              {about(way)}
            </Text>
          )}
          <Text size="xs" c="dimmed">
            Since <Moment at={way.createdAt} relative />
            {way.expiresAt === null ? null : (
              <>
                , ends <Moment at={way.expiresAt} relative />
              </>
            )}
          </Text>
        </div>
      </Group>
      {last ? (
        <Text size="xs" c="dimmed" ta="right">
          Your only way to sign in
        </Text>
      ) : (
        <Button size="compact-sm" variant="default" style={{ flexShrink: 0 }} onClick={question.open} aria-label={`${act} ${title} ${about(way)}`}>
          {act}…
        </Button>
      )}
      <Confirm of={question} title={`${act} this way in?`} act={act} doing={ending}>
        {title}. {about(way)} {way.kind === 'password' || way.kind === 'identity' ? 'Other sessions that began with it end too.' : ''}
      </Confirm>
    </Group>
  );
}

function about({ kind, name, issuer, organization }: WayIn): string {
  const host = issuer === null ? null : (URL.parse(issuer)?.host ?? issuer);
  const parts = kind === 'session' ? [browserOf(name), host === null ? null : `through ${host}`] : [kind === 'identity' ? host : name];
  const place = organization === null ? [] : [organization.name];
  return [...parts, ...place].filter((part) => part !== null).join(' · ');
}

/** A browser's name of itself also names others; the order of checks tells them apart. */
function browserOf(agent: string | null): string | null {
  if (agent === null) return null;
  const names = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'];
  const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'];
  const name = names.find((each) => agent.includes(each));
  if (name === undefined) return agent.slice(0, 60);
  const system = systems.find((each) => agent.includes(each));
  const shown = name === 'Edg' ? 'Edge' : name === 'OPR' ? 'Opera' : name;
  return system === undefined ? shown : `${shown} on ${system}`;
}
