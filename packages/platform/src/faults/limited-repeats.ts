/** A sentence for the operator that could be repeated with every request: it is repeated only after a minute. */
const againMs = 60_000;

/** `cause`: two sentences with the same cause count as the same. `clock`: wall time, milliseconds; if it was set back, the sentence is repeated. */
export function limitRepeats(clock: () => number, say: (sentence: string) => void): (sentence: string, cause?: string) => void {
  let last = { cause: '', atMs: 0 };
  return (sentence, cause = sentence) => {
    const nowMs = clock();
    if (cause === last.cause && nowMs - last.atMs < againMs && nowMs >= last.atMs) return;
    last = { cause, atMs: nowMs };
    say(sentence);
  };
}
