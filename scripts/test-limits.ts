/** The time limit of one test and of one test file, milliseconds. */
export const limitMs = 240_000;
/** When a process that did not end at its limit is ended by force, milliseconds from its start. */
export const overdueMs = limitMs + 20_000;
