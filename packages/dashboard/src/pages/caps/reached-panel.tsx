/** When caps were reached, from the audit trail: from then until their reset, calls were refused. */
import { Table } from '@mantine/core';
import { api, type Shown } from '../../api/client.ts';
import { Panel } from '../../parts/page.tsx';
import { Money, Moment } from '../../shown/figures.tsx';
import { useKeyNames } from '../../shown/key-names.ts';
import { CapSubject } from './cap-facts.tsx';

const shown = 20;
const often = { refetchInterval: 10_000 };

/** For those who may see the audit. Hidden if no cap was reached. */
export function ReachedPanel({ caps }: { readonly caps: readonly Shown<'Cap'>[] }) {
  const names = useKeyNames();
  const reached = api.useQuery('get', '/platform/v1/audit', { params: { query: { action: 'capReached', limit: shown } } }, often);
  const rows = reached.data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <Panel flush title="Reached lately" about="From then on calls were refused, until the cap was raised or its window started again.">
      <Table className="data-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Cap of</Table.Th>
            <Table.Th>Reached</Table.Th>
            <Table.Th className="right">Its limit then</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ id, at, subject, detail }) => {
            const cap = caps.find((each) => each.id === subject);
            return (
              <Table.Tr key={id}>
                <Table.Td>
                  {cap === undefined ? (
                    <>
                      A cap that is removed, <span className="mono wrap">{subject}</span>
                    </>
                  ) : (
                    <>
                      <CapSubject cap={cap} names={names} />, {cap.window}
                    </>
                  )}
                </Table.Td>
                <Table.Td>
                  <Moment at={at} relative />
                </Table.Td>
                <Table.Td className="right">
                  <Money amount={typeof detail['limit'] === 'string' ? detail['limit'] : null} />
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
