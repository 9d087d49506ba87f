/** Which price list calls are priced by, and how old it is. The operator imports another at the command line. */
import { useQuery } from '@tanstack/react-query';
import { CopyableId } from '../../parts/copying.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { wholeCount } from '../../shown/amounts.ts';
import { pricesQuery } from './settings-asks.ts';

const dayMs = 86_400_000;

export function PriceListPanel() {
  const prices = useQuery(pricesQuery);
  return (
    <Panel title="Prices" about="The list and prices of your own are the operator's to set. Each call names the list that priced it.">
      <Loaded of={prices} height={160}>
        {({ list, overlay }) => (
          <Facts
            rows={[
              ['Price list', <CopyableId id={list.id} name="price list" />],
              ['From', `${list.source}, ${list.shipped ? 'shipped with this version' : 'imported'}`],
              ['Age', ageText(list.date)],
              ['Models', wholeCount(list.models)],
              ['Own prices', overlay ?? 'none'],
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function ageText(date: string): string {
  const days = Math.max(0, Math.floor((Date.now() - Date.parse(date)) / dayMs));
  return `${days === 1 ? '1 day' : `${wholeCount(days)} days`}, of ${date}`;
}
