/** The time limit of one test and of one test file, or of the files that share a process, milliseconds. The longest such process takes two minutes
 * on a quiet machine, and more than three times that on a slow or busy one. */
export const limitMs = 720_000;
/** When a process that did not end at its limit says what it still waits for and ends itself, milliseconds from its start. */
export const overdueMs = limitMs + 10_000;
/** When a process that could not even do that is ended from outside, with everything it started. */
export const endedMs = limitMs + 20_000;
/** How long what a test file started may outlive it. */
export const leftMs = 20_000;
/** The bound of a whole run, whatever of it hangs. */
export const runLimitMs = 50 * 60_000;
