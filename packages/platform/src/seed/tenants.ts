/** The callers in a seeded store: organizations with their keys, and each key's purpose. Pure. */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import type { Drawing } from './drawing.ts';

/** A kind of call that a key makes. */
export interface Habit {
  readonly wire: 'openai' | 'anthropic';
  readonly endpoint: 'chat.completions' | 'responses' | 'messages' | 'embeddings';
  readonly path: string;
  readonly model: string;
}

export interface SeededCaller {
  readonly organization: OrganizationId;
  readonly key: ServiceKeyId;
  readonly name: string;
  readonly project: string | null;
  readonly habits: readonly Habit[];
  readonly labels: readonly string[];
  /** Whether its calls come in runs, as those of agents do. */
  readonly agent: boolean;
}

const chat = { wire: 'openai', endpoint: 'chat.completions', path: '/v1/chat/completions' } as const;
const responses = { wire: 'openai', endpoint: 'responses', path: '/v1/responses' } as const;
const messages = { wire: 'anthropic', endpoint: 'messages', path: '/v1/messages' } as const;
const embeddings = { wire: 'openai', endpoint: 'embeddings', path: '/v1/embeddings' } as const;

/** The most used first. One of them has no price in any list. */
const habits: readonly Habit[] = [
  { ...chat, model: 'gpt-5-mini' }, { ...messages, model: 'claude-sonnet-4-5-20250929' }, { ...responses, model: 'gpt-5' },
  { ...chat, model: 'gpt-4o-mini-2024-07-18' }, { ...messages, model: 'claude-haiku-4-5-20251001' },
  { ...embeddings, model: 'text-embedding-3-small' },
  { ...chat, model: 'gpt-5-nano' }, { ...chat, model: 'gpt-4o-2024-08-06' }, { ...messages, model: 'claude-opus-4-1-20250805' },
  { ...responses, model: 'gpt-4.1' }, { ...chat, model: 'gpt-4.1-mini' }, { ...responses, model: 'o4-mini' },
  { ...embeddings, model: 'text-embedding-3-large' }, { ...chat, model: 'house-model-1' },
];
const projects = [
  'search', 'support', 'assistant', 'billing', 'onboarding', 'translation', 'moderation', 'summaries', 'code-review', 'sales', 'research', 'reports',
] as const;
const teams = ['team:core', 'team:growth', 'team:data', 'team:platform', 'team:apps'] as const;
const environments = ['env:production', 'env:staging', 'env:development'] as const;
const purposes = ['bot', 'worker', 'api', 'batch', 'agent', 'notebook', 'pipeline'] as const;

/** One key of an organization; `number` tells it apart from the others. */
export function callerOf(organization: OrganizationId, key: ServiceKeyId, number: number, draw: Drawing): SeededCaller {
  const project = draw.below(8) === 0 ? null : draw.oneOf(projects);
  const purpose = draw.oneOf(purposes);
  return {
    organization, key, project,
    name: `${project ?? 'shared'}-${purpose}-${number}`,
    habits: Array.from({ length: 1 + draw.below(4) }, () => draw.oneOf(habits)),
    labels: [draw.oneOf(environments), draw.oneOf(teams)].slice(0, 1 + draw.below(2)),
    agent: purpose === 'agent' || draw.below(20) === 0,
  };
}
