/** Placeholders for missing data: loading (shown after 200 ms), refused, or empty with the next step. */
import { Alert, Button, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core';
import { CircleAlert, type LucideIcon } from 'lucide-react';
import { useDeferredValue, type ReactNode } from 'react';
import { isLacking, queries, Refused, sentenceOf } from '../api/client.ts';

/** Reserves the space of what is loading, so that nothing jumps. */
export function Coming({ height = 160 }: { readonly height?: number }) {
  return (
    <div className="late" aria-busy="true" aria-live="polite">
      <span className="visually-hidden">Loading</span>
      <Skeleton height={height} radius="md" />
    </div>
  );
}

/** What an answer that stays the same is called; asking again would not help. */
const lasting: Readonly<Record<number, string>> = { 403: 'Your role may not see this', 404: 'There is nothing here', 410: 'This is gone' };

export function Fault({ fault, retry }: { readonly fault: unknown; readonly retry?: () => void }) {
  const stays = fault instanceof Refused ? lasting[fault.status] : undefined;
  return (
    <Alert
      color={stays === undefined ? 'red' : 'gray'}
      icon={<CircleAlert size={18} aria-hidden />}
      role="alert"
      title={stays ?? 'This could not be shown'}
      styles={stays === undefined ? { title: { color: 'var(--bad)' } } : {}}>
      {sentenceOf(fault)}
      {isLacking(fault) && retry !== undefined ? ' The page asks again by itself.' : null}
      {retry === undefined || stays !== undefined ? null : (
        <div>
          <Button mt="xs" size="compact-sm" variant="default" onClick={retry}>
            Try again
          </Button>
        </div>
      )}
    </Alert>
  );
}

export function Nothing({
  icon: Icon,
  title,
  children,
  action,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <Stack align="center" gap={6} py={48} px="md">
      <ThemeIcon variant="light" size={44} radius="xl" mb={4}>
        <Icon size={22} aria-hidden />
      </ThemeIcon>
      <Text fw={600} ta="center">
        {title}
      </Text>
      {children === undefined ? null : (
        <Text component="div" c="dimmed" size="sm" ta="center" maw={460}>
          {children}
        </Text>
      )}
      {action === undefined ? null : <div style={{ marginTop: 8 }}>{action}</div>}
    </Stack>
  );
}

interface Asked<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** What failed seldom failed alone: everything on the page that did is asked for again. */
function askAgain(of: Pick<Asked<unknown>, 'refetch'>): void {
  void of.refetch();
  void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' && state.fetchStatus === 'idle' });
}

/**
 * One of the three, or the content made of the data. While data is reloaded, the former content stays. Content that takes the place of a skeleton
 * is drawn in pieces, between which the page answers.
 */
export function Loaded<Data>({
  of,
  height,
  children,
}: {
  readonly of: Asked<Data>;
  readonly height?: number;
  readonly children: (data: Data) => ReactNode;
}) {
  const known = of.data !== undefined;
  const isDrawn = useDeferredValue(known);
  if (of.data !== undefined && isDrawn) return <>{children(of.data)}</>;
  if (!known && of.error !== null && of.error !== undefined) return <Fault fault={of.error} retry={() => askAgain(of)} />;
  return <Coming height={height} />;
}
