/**
 * A call that begins a run, or lacks a lease, waits a quarter of a second for the store and is then refused with 503 (rules: The path of a call). On
 * a busy machine that happens now and then to any such call, which cost nothing. A 503 that comes at once, or again and again, is a fault.
 */
const askMs = 250;
const triesMax = 5;

/** Calls again where the answer says that the store was late to confirm, and came as late as that takes: at most five times. */
export async function despiteLateStore<Answer>(call: () => Promise<Answer>, saysLate: (answer: Answer) => boolean): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const sentMs = performance.now();
    const answer = await call();
    if (tries === triesMax || !saysLate(answer) || performance.now() - sentMs < askMs - 10) return answer;
  }
}
