/**
 * Heads of answers that leave at the end of the turn of the event loop, if no bytes of the body took them along before. One immediate for
 * all heads of a turn: most have left by then, and each immediate allocates objects.
 */

/** An answer that has a head to send. */
export interface HeadToSend {
  /** Does nothing if it has left, or the call is over. Must not throw. */
  flushHead(): void;
}

let waiting: HeadToSend[] = [];
let spare: HeadToSend[] = [];

/** Has its head sent when this turn ends. */
export function flushAtTurnEnd(head: HeadToSend): void {
  if (waiting.push(head) === 1) setImmediate(flushAll);
}

function flushAll(): void {
  const heads = waiting;
  waiting = spare;
  for (let at = 0; at < heads.length; at += 1) heads[at]!.flushHead();
  heads.length = 0;
  spare = heads;
}
