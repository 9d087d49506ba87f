/** Statements of fixed text for both engines. */
import type { Engine } from './engine.ts';

type Texts = Readonly<Record<Engine['kind'], string>>;

/** One text for both: its parameters are `$1`, `$2` and so on, in this order, each once. */
export function onBoth(text: string): Texts {
  return { postgres: text, sqlite: text.replace(/\$\d+/g, '?') };
}

/** A text for each, made by one rule. */
export function onEach(textOn: (engine: Engine['kind']) => string): Texts {
  return { postgres: textOn('postgres'), sqlite: textOn('sqlite') };
}

/** Words that are given as one parameter, the first: a subquery with the column `word`. */
export function wordsGiven(engine: Engine['kind']): string {
  return engine === 'postgres' ? '(select unnest($1::text[]) as word)' : '(select value as word from json_each(?))';
}

/** That parameter. */
export function wordsFrom(engine: Engine['kind'], words: readonly string[]): unknown {
  return engine === 'postgres' ? words : JSON.stringify(words);
}
