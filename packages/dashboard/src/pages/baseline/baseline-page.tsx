/** The Baseline: seven days as the tap reports them. All of its states, from creation to closed, and its printable report. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Printer, Radio } from 'lucide-react';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { useDoing } from '../../parts/doing.ts';
import { Page, Panel } from '../../parts/page.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { assessmentQuery, assessmentsQuery } from './baseline-asks.ts';
import { BaselineBadge } from './baseline-state.tsx';
import { BaselineReport } from './report.tsx';
import { TapSetup } from './tap-setup.tsx';

const changes = ['/platform/v1/assessments'];

export function BaselinePage() {
  const admin = useMay('admin');
  const list = useQuery(assessmentsQuery);
  const current = list.data?.data[0];
  const making = useDoing({ run: () => ask.POST('/platform/v1/assessments'), done: 'The Baseline is made.', changes });
  const about = 'What your model calls come to in seven days, reported by a wrapper around your client. No call goes through here for it.';
  const make = admin ? (
    <Button loading={making.isPending} onClick={() => making.mutate(undefined)}>
      Make a Baseline
    </Button>
  ) : null;
  return (
    <Page title="Baseline" about={about} actions={current === undefined ? null : <PrintButton />}>
      <Loaded of={list} height={320}>
        {() =>
          current === undefined ? (
            <Panel>
              <Nothing icon={Radio} title="No Baseline yet" action={make}>
                Wrap your OpenAI, Anthropic, Google or Mistral client with one line. Token counts are reported, never a prompt or an answer.
                After seven days there is a report of what you spend, on what.
              </Nothing>
            </Panel>
          ) : (
            <Shown id={current.id} />
          )
        }
      </Loaded>
    </Page>
  );
}

function PrintButton() {
  return (
    <Button variant="default" leftSection={<Printer size={16} aria-hidden />} onClick={() => print()}>
      Print
    </Button>
  );
}

function Shown({ id }: { readonly id: string }) {
  const admin = useMay('admin');
  const baseline = useQuery({ ...assessmentQuery(id), refetchInterval: 5_000 });
  /** Read once, and dropped when the page is closed. */
  const [key, setKey] = useState<string | null>(null);
  return (
    <Loaded of={baseline} height={420}>
      {(data) => (
        <>
          <BaselineBadge baseline={data} />
          {admin && data.state !== 'closed' ? <TapSetup baseline={data} shownKey={key} onKey={setKey} /> : null}
          <BaselineReport baseline={data} />
        </>
      )}
    </Loaded>
  );
}
