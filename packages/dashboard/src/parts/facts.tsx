/** Names and values below each other, and a section of a sheet with its heading. */
import { Table, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function Facts({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <Table variant="vertical" className="facts" withTableBorder verticalSpacing={6}>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th>{name}</Table.Th>
            <Table.Td className="wrap">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

export function SheetPart({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <Title order={3} fz="sm" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}
