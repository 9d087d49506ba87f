"""
What the current flow of control is in the middle of. A coroutine keeps it in its context. A plain function keeps it under its thread or
greenlet: up to Python 3.11 a garbage collection can begin inside `ContextVar.set`, and a destructor that sets the variable again then
destroys what the first is still reading, which kills the process. A host's destructors and signal handlers may make calls.
"""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import Any, Dict, Generic, NamedTuple, Optional, TypeVar

from ..runtime import quietly

Thing = TypeVar("Thing")


class _InTask(NamedTuple):
    thing: Any
    below: Any
    """What the thread was in the middle of when the coroutine began: a plain function entered since lies above it."""


class UnderWay(Generic[Thing]):
    """Enter and leave must be called in pairs, whatever happens between."""

    def __init__(self, name: str) -> None:
        self._by_task: "ContextVar[Optional[_InTask]]" = ContextVar(name, default=None)
        self._by_thread: Dict[int, Thing] = {}

    def here(self) -> Optional[Thing]:
        """The innermost thing that was entered and not left; None if there is none."""
        of_thread = self._by_thread.get(_flow())
        of_task = self._by_task.get()
        if of_task is not None and (of_thread is None or of_task.below is of_thread):
            thing: Thing = of_task.thing
            return thing
        return of_thread

    def enter(self, thing: Thing) -> Optional[Thing]:
        """For a plain function. Returns what `leave` must be given."""
        flow = _flow()
        before = self._by_thread.get(flow)
        self._by_thread[flow] = thing
        return before

    def leave(self, before: Optional[Thing]) -> None:
        flow = _flow()
        if before is None:
            self._by_thread.pop(flow, None)
        else:
            self._by_thread[flow] = before

    def enter_in_task(self, thing: Thing) -> Optional[_InTask]:
        """For a coroutine. Returns what `leave_in_task` must be given."""
        before = self._by_task.get()
        self._by_task.set(_InTask(thing, self._by_thread.get(_flow())))
        return before

    def leave_in_task(self, before: Optional[_InTask]) -> None:
        self._by_task.set(before)


def _flow() -> int:
    """Looked up in the module each time: gevent replaces it by one that distinguishes greenlets."""
    return quietly(threading.get_ident) or 0
