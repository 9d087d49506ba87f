"""
`tap(client, tag)` has the model calls of a provider client observed and reported, one content-free event each. It returns the same
object it was given and raises for one reason only: a tag that no event could carry.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Optional, Set, TypeVar

from . import notices
from .answer import Answer
from .courier import Courier
from .event import TAG_RULE, event_json, keeps
from .figures import Figures
from .identity_map import IdentityMap
from .observe.call import forget_open_calls, settle_open_calls
from .observe.observe import observe
from .post import Destination, post_batch
from .process_ends import listen_in_this_process, listen_to_ends, on_end
from .reporter import Reporter
from .runtime import CAN_POST, monotonic_ms, native, print_line, quietly, uuid4
from .settings import Settings, settings_of

Client = TypeVar("Client")

Report = Callable[[str], None]
"""Takes the JSON of an event."""


class _Wrapped:
    """What is known about one wrapped client."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.report: Optional[Report] = None
        """None if nothing is reported: no key, no endpoint."""
        self.told: Set[str] = set()
        """What was printed for the user, once each."""

    def tell(self, notice: str) -> None:
        if notice not in self.told:
            print_line(notices.notice_line(notice))
        self.told.add(notice)

    def take(self, seen: Figures) -> None:
        """The sink of the client's calls."""
        if self.report is None:
            return
        event = event_json(seen, self.tag, native.wall_s(), uuid4)
        if event is not None:
            listen_in_this_process()
            self.report(event)


_wrapped_clients: IdentityMap[_Wrapped] = IdentityMap()
_reports: Dict[str, Report] = {}
"""One reporter for each key and endpoint, so that a key's answers count for the whole process; one for inspect mode."""
_couriers: Dict[str, Courier] = {}
"""One for each endpoint; one for inspect mode."""

on_end(settle_open_calls, forget_open_calls)


def tap(
    client: Client, tag: str, *, key: Optional[str] = None, endpoint: Optional[str] = None, inspect: Optional[bool] = None
) -> Client:
    """
    Has every model call of this client reported under a tag. A second ``tap`` on the same client changes its tag, and its settings if
    options are given.

    :param client: of ``openai``, ``anthropic``, ``google-genai``, ``mistralai``, ``groq`` or of the same shape; a model of LangChain or
        LlamaIndex that holds such a client; the module ``litellm``.
    :param tag: 1 to 64 characters from ``A-Z a-z 0-9 . _ : -``; the only text of yours that is sent.
    :param key: the tap key; else ``SVC_TAP_KEY``.
    :param endpoint: the whole URL that events are posted to; else ``SVC_TAP_ENDPOINT``, else that of a Metergate on this machine.
    :param inspect: print batches on stderr and send nothing; else ``SVC_TAP_INSPECT``. Both true and false override the variable.
    :returns: the same client.
    :raises ValueError: for a tag that no event could carry; for nothing else.
    """
    if not keeps(tag, TAG_RULE):
        raise ValueError("tap: the tag must be 1 to 64 of A-Z a-z 0-9 . _ : -")
    # Whatever the client or the options are made of, the caller keeps its client as it is.
    quietly(_wrap, client, tag, (key, endpoint, inspect))
    return client


def _wrap(client: Any, tag: str, options: Any) -> None:
    """Raises for an object that cannot be remembered."""
    known = _wrapped_clients.get(client)
    wrapped = known or _Wrapped(tag)
    _wrapped_clients.set(client, wrapped)
    wrapped.tag = tag
    if known is None or any(option is not None for option in options):
        key, endpoint, inspect = options
        wrapped.report = _report_of(settings_of(key, endpoint, inspect, os.environ.get), wrapped.tell)
    if wrapped.report is None:
        return
    listen_in_this_process()
    if not observe(client, wrapped.take):
        wrapped.tell(notices.NOT_OBSERVED)


def _report_of(settings: Settings, tell: Callable[[str], None]) -> Optional[Report]:
    """The reporter for these settings; if they make no valid one, the user learns why."""
    if not settings.inspecting and (settings.key is None or settings.endpoint is None):
        tell(notices.NO_KEY if settings.key is None else notices.BAD_ENDPOINT)
        return None
    name = "" if settings.inspecting else f"{settings.endpoint} {settings.key}"
    report = _reports.get(name)
    if report is None:
        if settings.inspecting:
            print_line(notices.notice_line(notices.INSPECT_DESPITE_KEY if settings.key else notices.INSPECT))
        elif not CAN_POST and not _reports:
            print_line(notices.notice_line(notices.CANNOT_POST))
        report = _reports.setdefault(name, _new_report(settings))
    return report


def _new_report(settings: Settings) -> Report:
    name = "" if settings.inspecting else str(settings.endpoint)
    courier = _couriers.get(name)
    if courier is None:
        courier = _couriers[name] = Courier()
        listen_to_ends(courier)
    reporter = Reporter(monotonic_ms, print_line)
    destination = Destination(str(settings.endpoint), str(settings.key))
    courier.carry(reporter, _print_batch if settings.inspecting else lambda body: post_batch(destination, body))
    return lambda event: courier.add(reporter, event)


def _print_batch(body: str) -> Answer:
    """Prints what would be posted, byte for byte, and counts it as delivered."""
    print_line(body)
    return Answer(202)
