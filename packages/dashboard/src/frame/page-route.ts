/**
 * What a page's route is made of: how its address is read, the script that draws it, and what it asks the platform for. On the way to a page its
 * script and its data are loaded side by side.
 */
import { lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { askAhead } from '../api/ahead.ts';
import { queries } from '../api/client.ts';
import { noteNoAnswer } from '../api/reach.ts';
import { sessionQuery, type KnownSession } from '../app/session.ts';
import type { PageAsks, Raw } from './page-asks.ts';
import { PageAway } from './page-fault.tsx';

interface PageAhead {
  /** Sends what the page asks for at this address, and loads what it draws at first besides its own script. */
  readonly go: (search: Raw, session: KnownSession) => void;
}

declare module '@tanstack/react-router' {
  /** Required, so that no route forgets what its page asks for; null: nothing. */
  interface StaticDataRouteOption {
    readonly ahead: PageAhead | null;
  }
}

interface PageParts<Search, Module> extends PageAsks<Search> {
  /** Parts that are on demand elsewhere, and that this page shows at once. */
  readonly draws?: (search: Search) => readonly { readonly ahead: () => Promise<void> }[];
  readonly script: () => Promise<Module>;
  readonly name: keyof Module & string;
}

/** A page of the shell: everything of its route but its path. */
export function pageRoute<Search, Module extends Record<string, unknown>>({ search: read, at, draws, script, name }: PageParts<Search, Module>) {
  const go = (raw: Raw, session: KnownSession): void => {
    askAhead(at(raw, session));
    for (const part of draws?.(read(raw)) ?? []) void part.ahead().catch(() => undefined);
  };
  return {
    validateSearch: read,
    // Only on the way to the page: on it, its own hooks ask.
    shouldReload: false,
    loader: ({ location }: { readonly location: { readonly search: object } }): void => {
      const session = queries.getQueryData<KnownSession>(sessionQuery.queryKey);
      if (session !== undefined) go(location.search as Raw, session);
    },
    component: componentOf(script, name),
    staticData: { ahead: { go } },
  };
}

/** A browser waits for a script without an end. Milliseconds. */
const scriptMs = 60_000;

function tooLate(): Promise<never> {
  return new Promise((_, fail) => {
    setTimeout(() => fail(new PageAway()), scriptMs);
  });
}

/** A page's script that does not come is a platform that is away: the frame stays and says so, where the router would load the document again. */
export function componentOf<Module extends Record<string, unknown>>(script: () => Promise<Module>, name: keyof Module & string) {
  const known = async (): Promise<Module> => {
    try {
      return await Promise.race([script(), tooLate()]);
    } catch {
      noteNoAnswer();
      throw new PageAway();
    }
  };
  return lazyRouteComponent(known as unknown as () => Promise<Record<string, ComponentType>>, name);
}
