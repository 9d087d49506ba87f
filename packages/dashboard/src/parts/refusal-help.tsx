/** What would let a refused call through, with the page where that is done, and who may do it there. */
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Shown } from '../api/client.ts';
import { useMay } from '../app/session.ts';
import { whatHelps } from '../shown/what-helps.ts';

export function RefusalHelp({ of: refusal }: { readonly of: Pick<Shown<'Refusal'>, 'code' | 'scope' | 'window'> }) {
  const { words, page } = whatHelps(refusal);
  const may = useMay('admin');
  if (page === undefined) return <Text size="sm">{words}</Text>;
  // A page that the person's role does not open leads nowhere.
  const opens = may || (page.to !== '/providers' && page.search === undefined);
  return (
    <Text size="sm">
      {words}
      {may || page.who === undefined ? null : ` ${page.who}`}
      {opens ? <> See <Link to={page.to} search={page.search ?? {}}>{page.name}</Link>.</> : null}
    </Text>
  );
}
