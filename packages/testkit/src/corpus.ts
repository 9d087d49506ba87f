/**
 * Folders → recorded exchanges. Our own few fixtures are always there; the large recorded corpus lies beside the checkout
 * (`../shared/corpus`) on some machines only, and tests use it where it is found.
 */
import { existsSync, readdirSync } from 'node:fs';
import { readExchange, type Exchange } from './exchange.ts';

const fixturesFolder = new URL('../fixtures/', import.meta.url);
/** The folder beside the checkout that holds the public test data. */
export const sharedFolder = new URL('../../../../shared/', import.meta.url);

/** The wires whose responses the gateway reads usage from. */
export const readWires = [
  'openai-chat-completions', 'openai-completions', 'openai-embeddings', 'openai-responses', 'anthropic-messages', 'compatible-chat',
] as const;
export type ReadWire = (typeof readWires)[number];

/** Our own hand-made exchanges, all wires together; `wire` tells them apart. */
export function fixtures(): Exchange[] {
  return exchangesOf(fixturesFolder);
}

/** The hand-made exchange of that file name. @throws Error if there is none. */
export function fixture(name: string): Exchange {
  return readExchange(new URL(`${name}.json`, fixturesFolder));
}

/** The recorded exchanges of one wire, in a fixed order; empty if the corpus is not on this machine. */
export function corpus(wire: string): Exchange[] {
  return exchangesOf(new URL(`corpus/${wire}/`, sharedFolder));
}

/** Recorded exchanges of a wire if the corpus is here, else our own fixtures of it: never empty for the wires that are read. */
export function corpusOrFixtures(wire: ReadWire): Exchange[] {
  const recorded = corpus(wire);
  return recorded.length > 0 ? recorded : fixtures().filter((exchange) => exchange.wire === wire);
}

function exchangesOf(folder: URL): Exchange[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith('.json')).sort().map((name) => readExchange(new URL(name, folder)));
}
