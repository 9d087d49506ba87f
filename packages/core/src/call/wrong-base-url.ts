/**
 * A call that its client meant for the second provider and that goes to the first, because the client's base URL lacks `/alt`. Rule 3e. An
 * organization may refuse such calls, so that no file and no text is handed to the wrong company.
 */
import { firstValue } from './header-pairs.ts';
import { wires } from '../wire/wire.ts';
import type { Route } from './route.ts';

/** `forward`: as the specification says, to the first provider. */
export const wrongBaseUrlRules = ['forward', 'refuse'] as const;
export type WrongBaseUrlRule = (typeof wrongBaseUrlRules)[number];

/** Whether the organization refuses this call: it goes to the first provider and names a version of the second one's API. */
export function hasWrongBaseUrl(rule: WrongBaseUrlRule, { wire }: Pick<Route, 'wire'>, rawHeaders: readonly string[]): boolean {
  if (rule === 'forward') return false;
  const { strangersHeader } = wires[wire];
  return strangersHeader !== null && firstValue(rawHeaders, strangersHeader) !== null;
}
