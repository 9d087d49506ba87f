/** The gateway nodes of the deployment and their journals, for those who run it. */
import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, Server } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Shown } from '../../api/client.ts';
import { Figure } from '../../parts/figure.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { shortBytes, shortMs, wholeCount } from '../../shown/amounts.ts';
import { Count, Moment, MomentInTwo } from '../../shown/figures.tsx';
import { nodesQuery, proofQuery } from './nodes-asks.ts';

type Node = Shown<'GatewayNode'>;
type Proof = Shown<'FigureProof'>;

const often = { refetchInterval: 5_000 };
/** Everything is compared once an hour. */
const seldom = { refetchInterval: 60_000 };
/** Differences that are named; `metergate doctor --json` has all. */
const namedMax = 5;
/** A shipping delay above this is more than a hiccup. */
const lateMs = 10_000;

export function NodesPage() {
  const nodes = useQuery({ ...nodesQuery, ...often });
  const proof = useQuery({ ...proofQuery, ...seldom });
  return (
    <Page
      title="Nodes"
      about="Each gateway node writes calls into a journal on its own disk and ships them to the store from there. It reports every five seconds.">
      <Loaded of={nodes} height={260}>
        {({ data }) =>
          data.length === 0 ? (
            <Panel>
              <Nothing icon={Server} title="No node has reported yet">
                Start one on each machine with <span className="mono">metergate gateway</span>.
              </Nothing>
            </Panel>
          ) : (
            <>
              {data.map((node) => (
                <NodePanel key={node.id} of={node} />
              ))}
            </>
          )
        }
      </Loaded>
      <Loaded of={proof} height={80}>
        {(of) => <ProofPanel of={of} />}
      </Loaded>
    </Page>
  );
}

/** Whether sums, caps, runs and receipts are what the records say. */
function ProofPanel({ of: { provedUpTo, differences } }: { readonly of: Proof }) {
  const left = differences.filter(({ mendedAt }) => mendedAt === null);
  const mended = differences.length - left.length;
  return (
    <Panel title="Figures and their records">
      <Stack gap="md">
        {left.length === 0 ? null : (
          <Problem>
            {wholeCount(left.length)} {left.length === 1 ? 'figure differs from its records' : 'figures differ from their records'}:{' '}
            {left
              .slice(0, namedMax)
              .map(({ organization, kind, place, kept, derived }) => `${kind} ${place} of ${organization} has ${kept}, the records say ${derived}`)
              .join('; ')}
            {left.length > namedMax ? '; metergate doctor --json names the others' : ''}.
          </Problem>
        )}
        <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="md">
          <Figure name="Proved up to">{provedUpTo === null ? <Dimmed>not yet</Dimmed> : <MomentInTwo at={provedUpTo} />}</Figure>
          <Figure name="Differences">
            <Count of={left.length} />
          </Figure>
          <Figure name="Mended in the last 30 days">
            <Count of={mended} />
          </Figure>
        </SimpleGrid>
        <Text size="xs" c="dimmed">
          All sums, runs, caps and receipts are compared with the records in the background.
          {provedUpTo === null ? '' : ' Up to that moment every one agreed.'}
        </Text>
      </Stack>
    </Panel>
  );
}

function NodePanel({ of: node }: { readonly of: Node }) {
  const { journal } = node;
  return (
    <section className="panel" aria-label={`Node on ${node.host}`}>
      <Group className="panel-head" justify="space-between" gap="xs">
        <div className="grow">
          <Text fw={600} className="wrap">
            {node.host}
          </Text>
          <Text size="xs" c="dimmed" className="mono wrap">
            {node.id}
          </Text>
        </div>
        <StateBadge means={states[node.state].means}>{states[node.state].words}</StateBadge>
      </Group>
      <Stack p="md" gap="md">
        {node.reasons.map((reason) => (
          <Problem key={reason}>{reason}</Problem>
        ))}
        {node.state === 'silent' ? (
          <Problem>
            It has not reported for a while. Calls that it had not shipped are in its journal: start it again on its data directory.
          </Problem>
        ) : null}
        {journal.setAside === 0 ? null : (
          <Problem>
            The store refused {wholeCount(journal.setAside)} records. They are kept beside the journal and offered again at the next start.
          </Problem>
        )}
        {node.spendDifferences === 0 ? null : (
          <Problem>{wholeCount(node.spendDifferences)} sums of spend differ from their records. The log names them.</Problem>
        )}
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="md">
          <Figure name="Last reported">
            <Moment at={node.heardAt} relative />
          </Figure>
          <Figure name="Running since">
            <MomentInTwo at={node.startedAt} />
          </Figure>
          <Figure name="Calls in flight">
            <Count of={node.callsInFlight} />
          </Figure>
          <Figure name="Forwarded / refused">
            <Count of={node.callsForwarded} /> / <Count of={node.callsRefused} />
          </Figure>
          <Figure name="Live runs">
            <Count of={node.liveRuns} />
          </Figure>
          <Figure name="Settings confirmed">
            <Ago ms={node.settingsAgeMs} late={5_000} />
          </Figure>
          <Figure name="Waiting to be shipped">
            <Count of={journal.rowsToShip} /> {journal.rowsToShip === 1 ? 'call' : 'calls'}
          </Figure>
          <Figure name="All shipped">
            <Ago ms={journal.lagMs} late={lateMs} />
          </Figure>
          <Figure name="Journal on disk">
            <span className="figure">{shortBytes(journal.bytes)}</span>
          </Figure>
          <Figure name="Not yet written">
            <Count of={journal.rowsInMemory} /> {journal.rowsInMemory === 1 ? 'call' : 'calls'}
          </Figure>
          <Figure name="Delay of its thread">
            <span className="figure">{shortMs(node.eventLoopDelayMs)}</span>
          </Figure>
          <Figure name="Spend leases">{node.leases === null ? <Dimmed>not shared</Dimmed> : <Count of={node.leases} />}</Figure>
        </SimpleGrid>
        <Text size="xs" c="dimmed">
          Refused: every request that the node answered itself, such as one without a key, or a probe of its address. Metergate{' '}
          {node.version}, Node {node.runtime}
        </Text>
      </Stack>
    </section>
  );
}

const states = {
  ready: { words: 'Ready', means: 'good' },
  unready: { words: 'Not ready', means: 'bad' },
  silent: { words: 'Silent', means: 'bad' },
  stopped: { words: 'Stopped', means: 'none' },
} as const;

/** Below a second it says "now". */
function Ago({ ms, late }: { readonly ms: number; readonly late: number }) {
  return <span className={ms > late ? 'figure warn' : 'figure'}>{ms < 1_000 ? 'now' : `${shortMs(ms)} ago`}</span>;
}

function Dimmed({ children }: { readonly children: ReactNode }) {
  return (
    <Text span inherit c="dimmed">
      {children}
    </Text>
  );
}

function Problem({ children }: { readonly children: ReactNode }) {
  return (
    <Alert color="red" icon={<CircleAlert size={18} aria-hidden />}>
      <span className="wrap">{children}</span>
    </Alert>
  );
}
