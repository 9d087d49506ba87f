"""
Watches the end of a process, so that waiting events are delivered, and its forks, so that nothing is delivered twice. Signals are not
touched: a process that dies of one without a handler loses the events of the last interval, as with `os._exit`. Rule 30c.
"""

from __future__ import annotations

import atexit
import os
import sys
from typing import Callable, List

from .courier import Courier
from .runtime import native, quietly

_END_BUDGET_S = 1.5

_couriers: List[Courier] = []
_settle: List[Callable[[], None]] = []
_forget: List[Callable[[], None]] = []
_heard_in = [0]
"""The process whose end is watched; the child of a fork ends separately."""


def listen_to_ends(courier: Courier) -> None:
    _couriers.append(courier)


def on_end(settle: Callable[[], None], forget: Callable[[], None]) -> None:
    """`settle` makes events of the calls that are still open at an end; `forget` is called in the child of a fork. Neither raises."""
    _settle.append(settle)
    _forget.append(forget)


def listen_in_this_process() -> None:
    """
    Watches the end of the current process, once. In a child of `multiprocessing` or of Celery that end is not Python's own, and what was
    registered before the child began is dropped, so this is called when there is an event.
    """
    _notice_the_fork()
    if _heard_in[0]:
        return
    _heard_in[0] = os.getpid()
    quietly(atexit.register, _end)
    for name in ("multiprocessing.util", "billiard.util"):
        finalize = getattr(sys.modules.get(name), "Finalize", None)
        if finalize is not None:
            quietly(lambda finalize=finalize: finalize(None, _end, exitpriority=0))


def _notice_the_fork() -> None:
    """A server that forks without Python's knowledge, as uWSGI does, leaves its child with a thread that does not exist there."""
    if _heard_in[0] not in (0, os.getpid()):
        _after_fork_in_child()


def _end() -> None:
    """Delivers waiting events. If the host cuts a slow end short (a second Ctrl-C), that ends the waiting too."""
    try:
        _notice_the_fork()
        for settle in _settle:
            settle()
        deadline_s = native.monotonic_s() + _END_BUDGET_S
        for courier in _couriers:
            courier.end()
        for courier in _couriers:
            courier.wait(deadline_s)
    except BaseException:
        pass


def _before_fork() -> None:
    for courier in _couriers:
        quietly(courier.rest)


def _after_fork_in_parent() -> None:
    for courier in _couriers:
        quietly(courier.resume)


def _after_fork_in_child() -> None:
    _heard_in[0] = 0
    for courier in _couriers:
        quietly(courier.forget)
    for forget in _forget:
        quietly(forget)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
