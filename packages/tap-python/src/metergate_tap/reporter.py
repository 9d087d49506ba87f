"""
The reporter: events in, batches out, at an interval and at the end of the process (spec, Tap client wrapper 3 and 4; rule 30c).
It does no input or output itself: its courier asks when something is due (`next_at_ms`), takes the body (`take`), posts it and reports
the answer (`answered`). All of that happens on the courier's thread. The host's threads only call `add`, which takes no lock, so that it
may be called anywhere, also in a destructor or a signal handler.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from .answer import Answer
from .runtime import native
from .standing import Standing

BATCH_EVENTS_MAX = 100
FLUSH_INTERVAL_MS = 2_000
QUEUE_EVENTS_MAX = 10_000
"""At most this many events wait, about 4 MB: a server that is away must not use up the host's memory. Later events are dropped."""


class Reporter:
    """One key's events on their way to one endpoint."""

    def __init__(self, monotonic_ms: Callable[[], float], print_line: Callable[[str], None]) -> None:
        self._monotonic_ms = monotonic_ms
        self.standing = Standing(monotonic_ms, print_line, self._drop_all)
        self.forget()

    def forget(self) -> None:
        """Resets with no events waiting, as in the child of a fork: the parent delivers those that waited."""
        self._inbox: Any = native.inbox()
        self._queue: List[str] = []
        """Waiting events, oldest first; the batch being posted is at the front."""
        self._batch: List[str] = []
        self._attempt = 0
        self._left = 0
        """Events that were waiting when the current delivery began, and are not settled yet."""
        self._due_ms: Optional[float] = None
        self._ending = False

    def add(self, event: str) -> bool:
        """Takes the JSON of one event that passed the rules. False if it is dropped."""
        if not self.standing.takes() or self._inbox.qsize() + len(self._queue) >= QUEUE_EVENTS_MAX:
            return False
        self._inbox.put(event)
        return True

    @property
    def waits(self) -> bool:
        """True if there is an event to deliver."""
        return bool(self._queue) or not self._inbox.empty()

    def next_at_ms(self) -> Optional[float]:
        """When the next body is due, in monotonic milliseconds; None while nothing waits."""
        if not self.waits:
            return None
        if self._due_ms is None:
            # A stopped reporter checks at once whether it may resume.
            self._due_ms = self._monotonic_ms() + (FLUSH_INTERVAL_MS if self.standing.posting else 0)
        if self._ending and not self._attempt:
            return self._monotonic_ms()
        return self._due_ms

    def take(self) -> Optional[str]:
        """The body that is due now; None if nothing waits after all. `answered` must be called next."""
        if not self._batch:
            self._collect()
            if not self._queue:
                self._due_ms = None
                return None
            self._left = self._left or len(self._queue)
            self._batch = self._queue[:BATCH_EVENTS_MAX]
        return '{"events":[' + ",".join(self._batch) + "]}"

    def answered(self, answer: Answer) -> None:
        """Continues according to the answer to the body that was taken last."""
        asking = not self.standing.posting
        wait_ms = self.standing.settle(answer, self._attempt)
        if not self._batch:  # the answer ended the posting
            return
        if wait_ms is None and self._ending:
            self._drop_all()
        elif wait_ms:
            self._attempt += 1
            self._due_ms = self._monotonic_ms() + wait_ms
        else:
            self._finish_batch(asking)

    def end(self) -> None:
        """The process ends: waiting events are due at once, and the first batch that cannot be delivered is the last one tried."""
        self._ending = True

    def _finish_batch(self, asking: bool) -> None:
        """A batch was delivered or dropped; what waited when this delivery began continues at once, and so do full batches."""
        count = len(self._batch)
        del self._queue[:count]
        self._batch = []
        self._attempt = 0
        self._left = max(0, self._left - count)
        if asking:
            self._drop_inbox()  # what came while the answer was pending
        self._collect()
        if self._left or len(self._queue) >= BATCH_EVENTS_MAX:
            self._due_ms = self._monotonic_ms()
        else:
            self._left = 0
            self._due_ms = self._monotonic_ms() + FLUSH_INTERVAL_MS if self._queue else None

    def _collect(self) -> None:
        """Moves new events into the queue; a stopped reporter posts only one event, to see whether it may resume."""
        while not self._inbox.empty():
            event = self._inbox.get_nowait()
            if self.standing.posting or not self._queue:
                self._queue.append(event)

    def _drop_inbox(self) -> None:
        while not self._inbox.empty():
            self._inbox.get_nowait()

    def _drop_all(self) -> None:
        self._drop_inbox()
        self._queue = []
        self._batch = []
        self._attempt = 0
        self._left = 0
        self._due_ms = None
