/** The list of models as each of the two providers gives it: each lists its own. */
import type { SandboxWire } from '../wire.ts';

const createdMs = Date.UTC(2026, 0, 1);

const lists: Readonly<Record<SandboxWire, object>> = {
  openai: {
    object: 'list',
    data: ['gpt-4o-mini', 'gpt-4o', 'text-embedding-3-small']
      .map((id) => ({ id, object: 'model', created: createdMs / 1_000, owned_by: 'metergate-sandbox' })),
  },
  anthropic: anthropicList([{ id: 'claude-haiku-4-5', display_name: 'Claude Haiku 4.5' }]),
};

/** The body of `GET /v1/models`. */
export function modelList(wire: SandboxWire): object {
  return lists[wire];
}

function anthropicList(models: readonly { readonly id: string; readonly display_name: string }[]): object {
  const created = new Date(createdMs).toISOString();
  return {
    data: models.map((model) => ({
      type: 'model', ...model, created_at: created, lifecycle: 'active', deprecated_at: null, retires_at: null,
      capabilities: null, line: null, max_input_tokens: null, max_tokens: null,
    })),
    has_more: false, first_id: models.at(0)?.id ?? null, last_id: models.at(-1)?.id ?? null,
  };
}
