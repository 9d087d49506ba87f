/** The gateway nodes of the deployment, and how far its figures are proved, for those who run it. */
import { z } from '@hono/zod-openapi';
import { showFigureProof } from '../../use-cases/figure-proof.ts';
import { listNodes } from '../../use-cases/nodes.ts';
import { operation } from '../operation.ts';
import { pageOf, pageOfShortList, shortListQuery } from '../paging.ts';
import { instant } from './fields.ts';

const nodeSchema = z.object({
  id: z.string(), host: z.string().openapi({ description: 'Name of the machine' }),
  version: z.string(), runtime: z.string().openapi({ description: 'Version of Node' }),
  state: z.enum(['ready', 'unready', 'stopped', 'silent']).openapi({ description: 'silent: no report for twenty seconds' }),
  reasons: z.array(z.string()).openapi({ description: 'Why it is not ready' }),
  startedAt: instant, heardAt: instant,
  callsInFlight: z.int(),
  oldestCallMs: z.number().nullable().optional().openapi({ description: 'When the oldest of them began, milliseconds since the epoch' }),
  callsForwarded: z.int(), callsRefused: z.int(), faults: z.int(), liveRuns: z.int(),
  journal: z.object({
    rowsToShip: z.int().openapi({ description: 'Ended calls that are not in the store yet' }),
    lagMs: z.int().openapi({ description: 'How long rows may have waited to be shipped' }),
    bytes: z.int(),
    rowsInMemory: z.int().openapi({ description: 'Ended calls that wait because the journal cannot be written' }),
    setAside: z.int().openapi({ description: 'Records that the store refused' }),
  }),
  settingsAgeMs: z.int(), eventLoopDelayMs: z.int(), spendDifferences: z.int(), leases: z.int().nullable(),
}).openapi('GatewayNode');

const proofSchema = z.object({
  provedUpTo: instant.nullable().openapi({ description: 'All figures agreed with the records of this instant; null: not all were compared yet' }),
  differences: z.array(z.object({
    organization: z.string(), kind: z.string().openapi({ description: 'What was compared: a table of sums, the chain, a run' }), place: z.string(),
    kept: z.string(), derived: z.string().openapi({ description: 'What the records say' }),
    foundAt: instant, mendedAt: instant.nullable().openapi({ description: 'null: it was left as it is' }),
  })).openapi({ description: 'The newest first, at most a hundred' }),
}).openapi('FigureProof');

export const nodeOperations = [
  operation({
    id: 'listNodes', method: 'get', path: '/nodes', role: 'owner', tag: 'nodes',
    summary: 'Gateway nodes and their journals, as they last reported; only for owners of the first organization of the deployment',
    refuses: ['forbidden'], query: shortListQuery, answer: pageOf(nodeSchema),
    run: ({ context, actor, query }) => pageOfShortList({ list: 'nodes', organization: actor.organization }, listNodes(context, actor), query),
  }),
  operation({
    id: 'showFigureProof', method: 'get', path: '/figure-proof', role: 'owner', tag: 'nodes',
    summary: 'How far all figures agree with their records, and what differs; only for owners of the first organization of the deployment',
    refuses: ['forbidden'], answer: proofSchema, run: ({ context, actor }) => showFigureProof(context, actor),
  }),
] as const;
