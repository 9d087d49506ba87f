/** Saves the table as a file: every row and every digit. */
import { Button, Menu } from '@mantine/core';
import { Download } from 'lucide-react';
import { saveBytes, saveText } from '../../parts/saving.ts';
import type { KeyNames } from '../../shown/key-names.ts';
import { isoOf, type Range } from '../../shown/ranges.ts';
import { nameIn, type Dimension, type ExploredRow } from '../../parts/usage-rows.ts';
import { cells, csvOf } from './file-forms.ts';

export function SaveFile({
  rows,
  by,
  and,
  names,
  range,
}: {
  readonly rows: readonly ExploredRow[];
  readonly by: Dimension;
  readonly and: Dimension | null;
  readonly names: KeyNames;
  readonly range: Range;
}) {
  const dimensions = [by, ...(and === null ? [] : [and])];
  const { since, until } = isoOf(range);
  const name = `usage-by-${dimensions.join('-')}-${since.slice(0, 10)}-${until.slice(0, 10)}`;
  const shown = () => cells(rows, dimensions, (row, dimension) => nameIn(row, dimension, names));
  const parquet = async (): Promise<void> => {
    const { parquetOf } = await import('./parquet.ts');
    saveBytes(`${name}.parquet`, parquetOf(shown()), 'application/vnd.apache.parquet');
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-sm" variant="default" leftSection={<Download size={14} aria-hidden />}>
          Save as a file
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => saveText(`${name}.csv`, csvOf(shown()), 'text/csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => void parquet()}>Parquet</Menu.Item>
        <Menu.Item onClick={() => saveText(`${name}.json`, JSON.stringify(rows, null, 1), 'application/json')}>JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
