/** What a cap would have refused in the past 30 days, computed from the records before the cap is set. */
import { Alert, Table, Text } from '@mantine/core';
import { api, sentenceOf, type Shown } from '../../api/client.ts';
import { Count, Money, Moment } from '../../shown/figures.tsx';

type Cap = Shown<'Cap'>;
type Trial = Shown<'CapTrial'>;

interface CapWanted {
  readonly scope: Cap['scope'];
  readonly key: string | null;
  readonly project: string;
  readonly person: string | null;
  readonly label: string;
  readonly window: Cap['window'];
  readonly limit: string;
}

const windowsShown = 5;

export function WouldRefuse({ wanted: { scope, window, limit, ...wanted } }: { readonly wanted: CapWanted }) {
  const subject = scope === 'organization' ? '' : (wanted[scope] ?? '').trim();
  const named = scope === 'organization' || subject !== '';
  const whole = limit !== '' && named;
  const asked = { params: { query: { scope, window, limit, ...(scope === 'organization' ? {} : { [scope]: subject }) } } };
  const trial = api.useQuery('get', '/platform/v1/caps/try', asked, {
    enabled: whole,
    // While somebody writes a limit, the former answer stays. That of another subject or window says nothing about this one.
    placeholderData: (former, query) => (withoutLimit(query?.queryKey.at(2)) === withoutLimit(asked) ? former : undefined),
    staleTime: 60_000,
    retry: false,
  });
  // A minimum height, so that the button below does not move while somebody types.
  return (
    <div style={{ minHeight: 66 }} role="status" aria-label="What it would have refused">
      {!whole ? (
        <Text size="sm" c="dimmed">
          {named ? 'Name a limit' : `Name a ${scope} and a limit`}, to see what the cap would
          have refused in the past 30 days, before it is armed.
        </Text>
      ) : trial.error !== null ? (
        <Text size="sm" className="bad">
          {sentenceOf(trial.error)}
        </Text>
      ) : trial.data === undefined ? (
        <Text size="sm" c="dimmed" className="late">
          It is tried on the calls of the past 30 days…
        </Text>
      ) : (
        <Told trial={trial.data} />
      )}
    </div>
  );
}

function withoutLimit(request: unknown): string {
  return JSON.stringify({ ...(request as { readonly params: { readonly query: object } } | undefined)?.params.query, limit: undefined });
}

function Told({ trial: { wouldRefuse, windows, tried } }: { readonly trial: Trial }) {
  if (tried.calls === 0) {
    return (
      <Text size="sm" c="dimmed">
        There was no such call in the past 30 days, so there is nothing to try the cap on.
      </Text>
    );
  }
  if (wouldRefuse.calls === 0) {
    return (
      <Text size="sm">
        In the past 30 days it would have refused <b className="good">nothing</b>: <Count of={tried.calls} />
        {tried.calls === 1 ? ' call' : ' calls'} came to{' '}
        <Money amount={tried.cost} />.
      </Text>
    );
  }
  const shown = windows.slice(-windowsShown).toReversed();
  return (
    <Alert
      title={
        <>
          In the past 30 days it would have refused <Count of={wouldRefuse.calls} /> of <Count of={tried.calls} /> calls
        </>
      }
      styles={{
        body: { minWidth: 0 },
        label: { whiteSpace: 'normal', overflow: 'visible' },
        title: { color: 'var(--warn)' },
        message: { color: 'var(--mantine-color-text)' },
      }}>
      They cost <Money amount={wouldRefuse.cost} /> of <Money amount={tried.cost} />.
      <Table.ScrollContainer minWidth={230} type="native" tabIndex={0} role="region" aria-label="Windows that would have refused">
        <Table verticalSpacing={4} horizontalSpacing={6} mt={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Reached</Table.Th>
              <Table.Th className="right">Calls refused</Table.Th>
              <Table.Th className="right">They cost</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map(({ startsAt, reachedAt, refusedCalls, refusedCost }) => (
              <Table.Tr key={startsAt}>
                <Table.Td>
                  <Moment at={reachedAt} />
                </Table.Td>
                <Table.Td className="right">
                  <Count of={refusedCalls} />
                </Table.Td>
                <Table.Td className="right">
                  <Money amount={refusedCost} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {windows.length > windowsShown ? (
        <Text size="xs" c="dimmed">
          The last {windowsShown} of {windows.length} windows with refusals.
        </Text>
      ) : null}
    </Alert>
  );
}
