/**
 * The first script that runs. If the browser was signed in at its last visit, it sends what the page at this address asks for, and then the libraries
 * that draw it run: that takes longer than most answers. What it does not know is asked by `ahead.ts`.
 */
import '../app/link-token.ts';
import '../app/known-locale.ts';
import { askAhead } from '../api/ahead.ts';
import { organizationsQuery } from '../api/asked-often.ts';
import { searchIn } from '../app/address-words.ts';
import { sessionBefore, sessionQuery } from '../app/session.ts';
import { pageAsks } from './page-asks.ts';

const session = sessionBefore();
if (session !== null && Object.hasOwn(pageAsks, location.pathname)) {
  const page = pageAsks[location.pathname as keyof typeof pageAsks];
  askAhead([sessionQuery, organizationsQuery, ...page.at(searchIn(location.search), session)]);
}
