/** The organization's id, plan and agreed figures. The operator sets them, at the command line. */
import type { Shown } from '../../api/client.ts';
import { CopyableId } from '../../parts/copying.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/page.tsx';
import { wholeCount } from '../../shown/amounts.ts';
import { Moment } from '../../shown/figures.tsx';

export function AboutPanel({ of: { id, name, plan, createdAt, requestsPerMinute, tokensPerMinute } }: { readonly of: Shown<'Organization'> }) {
  const agreed = (figure: number | null): string => (figure === null ? "the plan's" : wholeCount(figure));
  return (
    <Panel title="Organization" about="Plan and agreed figures are the operator's to set.">
      <Facts
        rows={[
          ['Name', name],
          ['Id', <CopyableId id={id} name="organization id" />],
          ['Plan', <span style={{ textTransform: 'capitalize' }}>{plan}</span>],
          ['Requests per minute', agreed(requestsPerMinute)],
          ['Tokens per minute', agreed(tokensPerMinute)],
          ['Made', <Moment at={createdAt} />],
        ]}
      />
    </Panel>
  );
}
