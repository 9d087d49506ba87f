/** What members may do about their own keys, as pages show and apply it. The platform decides again. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { organizationQuery } from '../api/asked-often.ts';
import type { Shown } from '../api/client.ts';
import { useMay, useSession } from '../app/session.ts';
import { Money } from '../shown/figures.tsx';

export type ShownTerms = NonNullable<Shown<'OwnKeyTerms'>>;

/** The organization's terms; null: there are none. Undefined: they are not loaded yet. */
function useOwnKeyTerms(): ShownTerms | null | undefined {
  const {
    organization: { id },
  } = useSession();
  return useQuery(organizationQuery(id)).data?.ownKeys;
}

/** The terms that bind who is signed in; null: they make and change any key that their role allows. */
export function useBindingTerms(): ShownTerms | null {
  const terms = useOwnKeyTerms();
  const admin = useMay('admin');
  return admin ? null : (terms ?? null);
}

export const windowWords: Readonly<Record<NonNullable<ShownTerms['cap']>['window'], string>> = {
  day: 'a day', week: 'a week', month: 'a month', year: 'a year', lifetime: 'in all',
};

/** The terms in sentences. */
export function TermsText({ of: { keysMax, models, lifetimeSecondsMax, cap, personCap } }: { readonly of: ShownTerms }) {
  return (
    <Text size="sm" className="wrap">
      {keysMax === 1 ? 'One key for each member.' : `Up to ${keysMax} keys for each member.`}{' '}
      {models === null ? 'All models that the organization allows.' : `Models: ${models.join(', ')}.`}{' '}
      {lifetimeSecondsMax === null ? 'A key need not end.' : `A key ends ${lifeWords(lifetimeSecondsMax)} after it was made.`}{' '}
      {cap === null ? null : (
        <>
          Each may spend <Money amount={cap.limit} /> {windowWords[cap.window]}.
        </>
      )}{' '}
      {personCap === null ? null : (
        <>
          All keys of a member together, ended ones too, may spend <Money amount={personCap.limit} /> {windowWords[personCap.window]}.
        </>
      )}
    </Text>
  );
}

function lifeWords(seconds: number): string {
  const [count, word] = seconds % 86_400 === 0 ? [seconds / 86_400, 'day'] : seconds % 3_600 === 0 ? [seconds / 3_600, 'hour'] : [seconds, 'second'];
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
