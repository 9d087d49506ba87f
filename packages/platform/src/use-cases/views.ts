/** The views that a person saved by name: a view is the query string of an Explore address. A management token has none. */
import { isoText } from '@metergate/core/time/iso-text.ts';
import { z } from '@hono/zod-openapi';
import type { SavedView, ViewOwner } from '@metergate/store/accounts/saved-views.ts';
import type { Actor } from './actor.ts';
import type { UseCaseContext } from './context.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

interface ShownView {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly savedAt: string;
}

/** Browsers open no address with a longer query, and they write queries in visible ASCII. */
export const viewFields = z.strictObject({
  name: z.string().max(80),
  query: z.string().max(4_000).regex(/^[\x21-\x7e]*$/)
    .openapi({ description: "Of the page's address, as it stands there without the question mark", example: 'by=model&range=30d' }),
});

type Asker = Pick<Actor, 'organization' | 'kind' | 'id'>;

/** The person's own views; none for a token. */
export async function listViews({ store }: UseCaseContext, asker: Asker): Promise<ShownView[]> {
  return asker.kind === 'token' ? [] : (await store.savedViews.list(ownerOf(asker))).map(shown);
}

/** Saves the view; it replaces the one with the same name. Refuses `forbidden`, `invalid_name`, `too_many_views`. */
export async function saveView(
  { store }: UseCaseContext, asker: Asker, view: z.output<typeof viewFields>,
): Promise<ShownView | AdministrationRefusal> {
  if (asker.kind === 'token') return refuseInput('forbidden', 'Only people can save views, not management tokens.');
  const saved = await store.savedViews.save(ownerOf(asker), view);
  return isRefusal(saved) ? saved : shown(saved);
}

/** Refuses `unknown_view`. */
export async function removeView(
  { store }: UseCaseContext, asker: Asker, id: string,
): Promise<{ readonly id: string; readonly removed: true } | AdministrationRefusal> {
  const removed = await store.savedViews.remove(ownerOf(asker), id);
  return isRefusal(removed) ? removed : { ...removed, removed: true };
}

function ownerOf({ organization, id }: Asker): ViewOwner {
  return { organization, person: id };
}

function shown({ savedAtMs, ...view }: SavedView): ShownView {
  return { ...view, savedAt: isoText(savedAtMs) };
}
