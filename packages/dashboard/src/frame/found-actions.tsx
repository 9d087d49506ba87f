/** What the platform finds for the words in the palette, each with the page it leads to. */
import type { SpotlightActionGroupData } from '@mantine/spotlight';
import { keepPreviousData } from '@tanstack/react-query';
import type { useNavigate } from '@tanstack/react-router';
import { Activity, Bot, FolderKanban, KeyRound, ListTree, ShieldX, Tag, UserRound, type LucideIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { api, type Shown } from '../api/client.ts';

type Found = Shown<'Found'>;
type Go = ReturnType<typeof useNavigate>;

/** What a kind is called, its picture, and where one of it is shown. */
const kinds: { readonly [Kind in Found['kind']]: { readonly name: string; readonly icon: LucideIcon; readonly go: (go: Go, id: string) => void } } = {
  call: { name: 'Call', icon: Activity, go: (go, call) => void go({ to: '/calls', search: { call } }) },
  refusal: { name: 'Refused call', icon: ShieldX, go: (go, id) => void go({ to: '/refusals', search: { id } }) },
  run: { name: 'Run', icon: ListTree, go: (go, run) => void go({ to: '/runs', search: { run } }) },
  key: { name: 'Service key', icon: KeyRound, go: (go, id) => void go({ to: '/keys', search: { id } }) },
  person: { name: 'Person', icon: UserRound, go: (go) => void go({ to: '/members' }) },
  project: { name: 'Project', icon: FolderKanban, go: (go, project) => void go({ to: '/', search: { project, range: '30d' } }) },
  model: { name: 'Model', icon: Bot, go: (go, model) => void go({ to: '/', search: { model, range: '30d' } }) },
  label: { name: 'Label', icon: Tag, go: (go, label) => void go({ to: '/', search: { label, range: '30d' } }) },
};

/** Asked once nobody has typed for this long. Milliseconds. */
const restMs = 150;

interface FoundActions {
  readonly group: SpotlightActionGroupData;
  /** The words are not answered yet. */
  readonly coming: boolean;
}

export function useFound(words: string, navigate: Go): FoundActions {
  const text = useAtRest(words.trim());
  const asked = text.length > 0;
  const found = api.useQuery(
    'get',
    '/platform/v1/find',
    { params: { query: { text: text.slice(0, 200) } } },
    { enabled: asked, placeholderData: keepPreviousData, staleTime: 10_000 },
  );
  const actions = (asked ? (found.data?.data ?? []) : []).map(({ kind, id, name, about }) => {
    const { name: said, icon: Icon, go } = kinds[kind];
    return {
      id: `${kind} ${id}`, label: name, description: about === null ? said : `${said}, ${about}`, leftSection: <Icon size={18} aria-hidden />,
      // The platform chose it: the palette's own search must not drop it.
      keywords: [words], onClick: () => go(navigate, id),
    };
  });
  return { group: { group: 'Found', actions }, coming: words.trim() !== text || (asked && found.isFetching) };
}

function useAtRest(words: string): string {
  const [rested, setRested] = useState(words);
  useEffect(() => {
    const rest = setTimeout(() => setRested(words), restMs);
    return () => clearTimeout(rest);
  }, [words]);
  return rested;
}
