"""
The reporter's state machine, driven by the endpoint's answers (Tap reporter; rule 29): posting → stopped (410
baseline_closed; one event a minute checks again) → posting; posting, stopped → quiet, for good. Clock and print are passed in.
"""

from __future__ import annotations

from typing import Callable, Optional

from .answer import RETRY_WAITS_MS, Answer, is_retried
from .notices import CLOSED, KEY_NOT_ACCEPTED, KEY_REFUSED_AT_END, RETIRED, notice_line

RECHECK_AFTER_MS = 60_000
_UNAUTHORIZED_MAX = 3


class Standing:
    """A reporter's state. Only its courier changes it; `takes` may be called from any thread."""

    def __init__(self, monotonic_ms: Callable[[], float], print_line: Callable[[str], None], drop_all: Callable[[], None]) -> None:
        """`drop_all` is called when the reporter stops, to drop the waiting events."""
        self._monotonic_ms = monotonic_ms
        self._print = print_line
        self._drop_all = drop_all
        self._ended: Optional[str] = None
        """The notice that ended the posting: after CLOSED the reporter is stopped, after any other it is quiet."""
        self._unauthorized = 0
        self._recheck_at_ms = 0.0

    @property
    def posting(self) -> bool:
        return self._ended is None

    def takes(self) -> bool:
        """True if an event may be queued; a stopped reporter takes one a minute."""
        return self._ended is None or (self._ended is CLOSED and self._monotonic_ms() >= self._recheck_at_ms)

    def settle(self, answer: Answer, attempt: int) -> Optional[float]:
        """
        What an answer means for its batch after `attempt` earlier posts: the milliseconds after which it is posted again, 0 if the batch
        is finished (delivered or dropped), None if there are no attempts left.
        """
        # A failure without an answer does not interrupt a series of 401s.
        if answer.status:
            self._unauthorized = self._unauthorized + 1 if answer.status == 401 else 0
        self._recheck_at_ms = self._monotonic_ms() + RECHECK_AFTER_MS
        if self._unauthorized >= _UNAUTHORIZED_MAX:
            self._end_by(KEY_NOT_ACCEPTED)
        elif answer.status == 410:
            self._end_by(CLOSED if answer.closed else RETIRED)
        elif 200 <= answer.status < 300 and self._ended is CLOSED:
            self._ended = None
        if not is_retried(answer.status):
            return 0
        return RETRY_WAITS_MS[attempt] if attempt < len(RETRY_WAITS_MS) else None

    def end(self) -> None:
        """The process ends: prints that the key was refused, if that happened too seldom to stop the reporter."""
        if self._unauthorized and self._ended is None:
            self._end_by(KEY_REFUSED_AT_END)

    def _end_by(self, notice: str) -> None:
        if self._ended is not notice:
            self._print(notice_line(notice))
        self._ended = notice
        self._drop_all()
