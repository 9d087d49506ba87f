/** The frame around every page of a session: menu, header, command palette, notices, and signing in again after a session has ended. */
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { useDeferredValue, useEffect } from 'react';
import { lackedHere, queries, sessionEnd } from '../api/client.ts';
import { whenAnswered } from '../api/lacking.ts';
import { whenBack } from '../api/reach.ts';
import { useNoticesWanted } from '../app/notices.ts';
import { useSession } from '../app/session.ts';
import { onDemand } from '../parts/on-demand.tsx';
import { Away } from './away.tsx';
import { Header } from './header.tsx';
import { closedPage, navigation, pagesFor } from './navigation.ts';
import { RoleNeeded } from './page-fault.tsx';

const CommandPalette = onDemand(async () => (await import('./command-palette.tsx')).CommandPalette);
const NoticesPlace = onDemand(async () => (await import('./notices-place.tsx')).NoticesPlace);
const SignInAgain = onDemand(async () => (await import('./sign-in-again.tsx')).SignInAgain);

/** How long after the frame, and again after that while the page is still asking for something. */
const loadAheadMs = 3_000;

/** For what the page lacks. What is still under way is given up and made anew by itself, and what a page lacked that was left once it is opened. */
function askAnew(): void {
  void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
}

export function Shell() {
  const [menuOpened, menu] = useDisclosure(false);
  const [paletteOpened, palette] = useDisclosure(false);
  const [ended, end] = useDisclosure(false);
  const noticesWanted = useNoticesWanted();
  // The frame is shown before the page in it is drawn.
  const framed = useDeferredValue(true, false);
  // Of the page that is shown, not of the one being gone to: a closed page must not be made on the way to an open one.
  const path = useRouterState({ select: ({ matches, location }) => matches.at(-1)?.pathname ?? location.pathname });
  const closed = closedPage(useSession(), path);
  useEffect(() => {
    menu.close();
  }, [path]);
  useEffect(() => {
    sessionEnd.tell = end.open;
    return () => {
      sessionEnd.tell = () => undefined;
    };
  }, []);
  useEffect(() => whenBack(askAnew), []);
  useEffect(() => whenAnswered({ lacked: lackedHere, go: askAnew }), []);
  useLoadedAhead();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      palette.open();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <header className="frame-head no-print">
        <Header menuOpened={menuOpened} onMenu={menu.toggle} onPalette={palette.open} />
      </header>
      <div className="frame-menu no-print" data-opened={menuOpened || undefined}>
        <Menu />
      </div>
      <main className="frame-page" id="page" tabIndex={-1}>
        <Away />
        {!framed ? <div aria-busy="true" /> : closed === undefined ? <Outlet /> : <RoleNeeded page={closed} />}
        <div id="over-page" />
      </main>
      {noticesWanted ? <NoticesPlace /> : null}
      {ended ? <SignInAgain onClose={end.close} /> : null}
      {paletteOpened ? <CommandPalette onClose={palette.close} /> : null}
    </>
  );
}

function Menu() {
  const session = useSession();
  return (
    <nav aria-label="Pages">
      {navigation.map((group) => {
        const pages = pagesFor(session, group);
        return pages.length === 0 ? null : (
          <div key={group.name}>
            <h2 className="nav-heading">{group.name}</h2>
            {pages.map(({ to, name, icon: Icon }) => (
              <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }} className="nav-link">
                <Icon size={16} aria-hidden />
                {name}
              </Link>
            ))}
          </div>
        );
      })}
    </nav>
  );
}

/** Loads the scripts of all pages once the browser has nothing else to do, so that a click works while the platform is away. */
function useLoadedAhead(): void {
  const router = useRouter();
  useEffect(() => {
    const load = async (): Promise<void> => {
      for (const route of Object.values(router.routesById)) await router.loadRouteChunk(route);
    };
    let next: ReturnType<typeof setTimeout>;
    const begin = (): void => {
      if (queries.isFetching() > 0) next = setTimeout(begin, loadAheadMs);
      else void load().catch(() => undefined);
    };
    next = setTimeout(begin, loadAheadMs);
    return () => clearTimeout(next);
  }, []);
}
