/** What a store answered stays true until something is committed to it: whoever asks again and again need not read it again and again. */
import type { Engine } from './engine.ts';

/** `about`: what the answer depends on besides the store. */
export type AskAgain<Answer> = (about: string | number, ask: () => Promise<Answer>) => Promise<Answer>;

/**
 * Gives the last answer again as long as nothing was committed since it was asked for, and it is about the same. On an engine that does not say
 * whether anything was committed, each is asked for. An answer may be given several times, so nobody may change it.
 */
export function whileUnchanged<Answer>(engine: Pick<Engine, 'stateNumber'>): AskAgain<Answer> {
  let kept: { readonly about: string | number; readonly state: number; readonly answer: Answer } | null = null;
  return async (about, ask) => {
    // Before the answer: a change that commits while it is read is found by the next question.
    const state = await engine.stateNumber();
    if (state === null) return ask();
    if (kept !== null && kept.state === state && kept.about === about) return kept.answer;
    const answer = await ask();
    kept = { about, state, answer };
    return answer;
  };
}
