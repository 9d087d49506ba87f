"""
The courier: one background thread for each endpoint, which posts the due batches of that endpoint's reporters. It is a daemon, is in none of
the host's lists of threads, takes no signals, and starts with the first event. It is stopped before a fork, so that no thread holds a lock
when the child is made; afterwards both processes continue with separate threads. Rule 30c.
"""

from __future__ import annotations

import sys
import threading
from typing import Callable, List, Optional, Tuple

from .answer import Answer
from .reporter import Reporter
from .runtime import block_signals, daemon_threads_allowed, monotonic_ms, native, quietly

Post = Callable[[str], Answer]

_REST_BUDGET_S = 1.0
_REST_POSTING_BUDGET_S = 0.1
_GONE_BUDGET_S = 0.05
_RESUMES_AT_ONCE = sys.version_info < (3, 13)
"""Later Pythons count threads after these hooks, and warn of a fork beside a thread: there the next event, or the end, starts the thread."""


class Courier:
    """Delivers for some reporters, each with the function that posts its bodies."""

    def __init__(self) -> None:
        self._carried: List[Tuple[Reporter, Post]] = []
        self._joined = False
        """True if the interpreter joins the thread at its end, and announces that beforehand."""
        self.forget()

    def forget(self) -> None:
        """Resets to the state without a thread, as in the child of a fork."""
        self._wake = native.lock()
        self._wake.acquire()
        self._left = native.lock()
        """Held from before the thread starts until it has ended."""
        self._done = native.lock()
        self._done.acquire()
        self._starting = native.lock()
        self._running = False
        self._resting = False
        self._idle = False
        self._posting = False
        self._ending = False
        self._thread_id = 0
        self._started_by = -1
        for reporter, _ in self._carried:
            reporter.forget()

    def carry(self, reporter: Reporter, post: Post) -> None:
        self._carried = [*self._carried, (reporter, post)]

    def add(self, reporter: Reporter, event: str) -> None:
        """Takes an event of one of its reporters. Waits for nothing."""
        if not reporter.add(event):
            return
        if not self._running:
            self.start()
        elif self._idle:
            self._stir()

    def start(self) -> None:
        """Starts the thread if events wait and none runs; if no thread can be made, events are posted at the end of the process."""
        if not any(reporter.waits for reporter, _ in self._carried) or not self._starting.acquire(False):
            return
        try:
            if not self._running and not self._resting and self._left.acquire(False):
                self._running = True
                if not self._launch():
                    self._running = False
                    self._left.release()
        finally:
            self._starting.release()

    def _launch(self) -> bool:
        self._started_by = native.thread_id()
        try:
            if daemon_threads_allowed():
                native.start_thread(self._run, ())
                return True
            if self._ending:  # a thread that began now would outlive the interpreter
                return False
            self._hear_of_the_join()
            threading.Thread(target=self._run, name="metergate-tap", daemon=False).start()
            return True
        except Exception:
            return False

    def _hear_of_the_join(self) -> None:
        """
        Makes the thread end before the interpreter joins it. Raises if the interpreter does not announce its end: a thread would then block that
        end for ever. The end of the main thread is no sign of it: in a subinterpreter of Python 3.13 it never ends.
        """
        if not self._joined:
            threading._register_atexit(self.end)  # type: ignore[attr-defined]
            self._joined = True

    def rest(self) -> None:
        """Ends the thread for the moment of a fork: at once, but it waits at most a tenth of a second for a post in progress."""
        if not self._running:
            return
        self._resting = True
        self._stir()
        if self._left.acquire(True, _REST_POSTING_BUDGET_S if self._posting else _REST_BUDGET_S):
            self._left.release()
            # The system may still count the thread for a moment.
            until_s = native.monotonic_s() + _GONE_BUDGET_S
            while native.monotonic_s() < until_s and native.is_path(f"/proc/self/task/{self._thread_id}"):
                native.sleep(0.0005)

    def resume(self) -> None:
        """The fork is over."""
        self._resting = False
        if _RESUMES_AT_ONCE:
            self.start()

    def end(self) -> None:
        """The process ends: waiting events are due at once."""
        self._ending = True
        if not self._running:
            self.start()
        self._stir()

    def wait(self, deadline_s: float) -> None:
        """Waits until the events that waited when the end began are delivered or dropped, at most until then (monotonic seconds)."""
        if self._running:
            self._done.acquire(True, max(0.0, deadline_s - native.monotonic_s()))
        else:
            self._deliver(deadline_s)
        for reporter, _ in self._carried:
            reporter.standing.end()

    def _stir(self) -> None:
        self._idle = False
        try:
            self._wake.release()
        except RuntimeError:  # already awake
            pass

    def _run(self) -> None:
        left = self._left
        try:
            self._thread_id = native.thread_id()
            if self._thread_id == 0 or self._thread_id != self._started_by:  # otherwise gevent runs it in the host's own thread
                block_signals()
            self._deliver(None)
        except BaseException:  # the host must not notice errors of this thread
            pass
        self._running = False
        left.release()

    def _deliver(self, deadline_s: Optional[float]) -> None:
        """Posts what is due until it is asked to stop, or until no events wait while the process ends."""
        while not self._resting:
            if deadline_s is not None and native.monotonic_s() >= deadline_s:
                return
            carrying, at_ms = self._next()
            if carrying is None:
                if self._ending:
                    quietly(self._done.release)
                    return
                self._sleep()
                continue
            wait_ms = at_ms - monotonic_ms()
            if wait_ms > 0:
                self._wait(wait_ms / 1000.0)
                continue
            reporter, post = carrying
            body = reporter.take()
            if body is not None:
                self._posting = True
                answer = post(body)
                self._posting = False
                reporter.answered(answer)

    def _next(self) -> Tuple[Optional[Tuple[Reporter, Post]], float]:
        """Which reporter is due first, and when."""
        first: Optional[Tuple[Reporter, Post]] = None
        first_at_ms = 0.0
        for carrying in self._carried:
            if self._ending:
                carrying[0].end()
            at_ms = carrying[0].next_at_ms()
            if at_ms is not None and (first is None or at_ms < first_at_ms):
                first, first_at_ms = carrying, at_ms
        return first, first_at_ms

    def _sleep(self) -> None:
        """Sleeps until the next event. The flag is set before the last check, so that no event is missed."""
        self._idle = True
        if not any(reporter.waits for reporter, _ in self._carried):
            self._wait(-1)
        self._idle = False

    def _wait(self, duration_s: float) -> None:
        self._wake.acquire(True, duration_s)
