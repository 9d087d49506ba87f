/** What would let a refused call through, with the page where that is done. */
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Shown } from '../api/client.ts';
import { whatHelps } from '../shown/what-helps.ts';

export function RefusalHelp({ of: refusal }: { readonly of: Pick<Shown<'Refusal'>, 'code' | 'scope' | 'window'> }) {
  const { words, page } = whatHelps(refusal);
  return (
    <Text size="sm">
      {words}
      {page === undefined ? null : (
        <>
          {' See '}
          <Link to={page.to}>{page.name}</Link>.
        </>
      )}
    </Text>
  );
}
