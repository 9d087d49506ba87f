/** A sentence for the operator that would be repeated with every request: the same one is said again only after a minute. */
const againMs = 60_000;

/** `cause`: what makes two sentences the same. `clock`: wall time, milliseconds; if it was set back, the sentence is said again. */
export function limitRepeats(clock: () => number, say: (sentence: string) => void): (sentence: string, cause?: string) => void {
  let last = { cause: '', atMs: 0 };
  return (sentence, cause = sentence) => {
    const nowMs = clock();
    if (cause === last.cause && nowMs - last.atMs < againMs && nowMs >= last.atMs) return;
    last = { cause, atMs: nowMs };
    say(sentence);
  };
}
