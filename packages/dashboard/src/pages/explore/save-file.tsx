/** Saves the whole table as a file: every row and every digit, however many rows the page shows. */
import { Button, Menu } from '@mantine/core';
import { Download } from 'lucide-react';
import { sentenceOf } from '../../api/client.ts';
import { tellFault } from '../../app/notices.ts';
import { saveBytes } from '../../parts/saving.ts';
import { everyRow, fileAddress, nameIn, type UsageQuestion } from '../../parts/usage-rows.ts';
import type { KeyNames } from '../../shown/key-names.ts';
import { isoOf } from '../../shown/ranges.ts';
import { cells } from './cells.ts';

export function SaveFile({ question, names }: { readonly question: UsageQuestion; readonly names: KeyNames }) {
  const { by, and, range } = question;
  const dimensions = [by, ...(and === null ? [] : [and])];
  const parquet = async (): Promise<void> => {
    try {
      const [rows, { parquetOf }] = await Promise.all([everyRow(question), import('./parquet.ts')]);
      const { since, until } = isoOf(range);
      const name = `usage-by-${dimensions.join('-')}-${since.slice(0, 10)}-${until.slice(0, 10)}.parquet`;
      const shown = cells(rows, dimensions, (row, dimension) => nameIn(row, dimension, names));
      saveBytes(name, parquetOf(shown), 'application/vnd.apache.parquet');
    } catch (fault) {
      tellFault(sentenceOf(fault));
    }
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-sm" variant="default" leftSection={<Download size={14} aria-hidden />}>
          Save as a file
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={fileAddress(question, 'csv')} download>
          CSV
        </Menu.Item>
        <Menu.Item component="a" href={`${fileAddress(question, 'csv')}&bom=true&decimalComma=true`} download>
          Spreadsheet with decimal commas
        </Menu.Item>
        <Menu.Item onClick={() => void parquet()}>Parquet</Menu.Item>
        <Menu.Item component="a" href={fileAddress(question, 'json')} download>
          JSON
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
