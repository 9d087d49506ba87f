"""
One provider call, from the moment it is made to its single event. Rule 30b.
When everything that listens to a call is gone (a stream nobody read, a response nobody parsed), the call is closed as left by the host; at
exit, `settle_open_calls` does the same.
"""

from __future__ import annotations

import weakref
from typing import Any, List, Optional

from ..figures import Figures, Sink
from ..identity_map import reference_to
from ..runtime import monotonic_ms, quietly
from .body_reading import BodyReading
from .look import at, own, text_in
from .provider import provider_of
from .reading import Reading
from .response_head import read_head

_MODEL = "model body.model json_data.model model_name agent_id"


class Hold:
    """One observed object, with the sink for its calls; a later `observe` on the same object may change the sink."""

    def __init__(self, client: Any, sink: Sink) -> None:
        self._client = reference_to(client)
        self.sink = sink

    @property
    def client(self) -> Any:
        return self._client()


_open: "weakref.WeakSet[Call]" = weakref.WeakSet()
"""The calls whose response has begun and not ended."""
_generation = [0]
"""Counts forks: a call that was open when the process forked is reported only by the parent."""


class Call:
    """
    Receives what happens in one call. `done`: the answer came whole. `left`: the host did not want the rest. `failed`: the provider or the
    network broke it.
    None of its methods raises.
    """

    __slots__ = (
        "_hold", "_figures", "_reading", "_started_ms", "_embeddings", "_began", "_closed", "_generation", "_response", "parsed",
        "__weakref__",
    )  # fmt: skip

    def __init__(self, hold: Hold, argument: Any = None, embeddings: bool = False) -> None:
        """Begins a call that is about to be made on an observed object, with the argument that names the requested model."""
        client = hold.client
        self._hold = hold
        self._figures = Figures(provider_of(client), text_in(argument, _MODEL))
        self._reading = Reading(self._figures)
        self._started_ms = monotonic_ms()
        self._embeddings = embeddings
        self._began = False
        self._closed = False
        self._generation = _generation[0]
        self._response: Any = None
        self.parsed = False
        """True once the host reads the stream that the SDK made of the body: the bytes themselves are then not looked at."""

    def start(self) -> None:
        """The host reads a stream. If that is a generator, the call is made only now."""
        self.parsed = True
        if not self._began:
            self._started_ms = monotonic_ms()

    def head(self, response: Any) -> None:
        """The head of the response has arrived; from here on an abandoned call gives its event too."""
        quietly(self._hear_head, response)

    def _hear_head(self, response: Any) -> None:
        self._figures.latency_ms = monotonic_ms() - self._started_ms
        if response is not None:
            read_head(response, self._figures)
        if not self._began:
            self._began = True
            _open.add(self)

    def refuse(self, answer: Any) -> None:
        """The provider answers that the call is refused, or that it has failed."""
        self.head(answer)
        self.end("failed")

    def keep(self, response: Any) -> None:
        """The response whose body came whole before the host has it. If the SDK does not parse it, it is read here at the end."""
        self._response = response

    def value(self, part: Any) -> None:
        """The whole answer, or its next part. It is read at once and not kept, so that it is freed when the host releases it."""
        if not self._closed:
            quietly(self._hear_value, part)

    def _hear_value(self, part: Any) -> None:
        if self._response is None:
            self._figures.latency_ms = monotonic_ms() - self._started_ms
        self._reading.read(part)

    def end(self, ending: str) -> None:
        """Makes the event, once."""
        if not self._closed:
            quietly(self._close, ending)

    def fail(self, error: BaseException) -> None:
        """Once the response has begun, a cancellation means that the host left; before, the error's status is the only one."""
        if not self._closed:
            quietly(self._hear_failure, error)

    def _hear_failure(self, error: BaseException) -> None:
        self._figures.latency_ms = monotonic_ms() - self._started_ms
        cancelled = not isinstance(error, Exception)
        if self._began:
            self._close("left" if cancelled else "failed")
        elif cancelled or _reached_the_network(error):
            self._figures.status = 599
            read_head(error, self._figures)
            self._close("failed")

    def _close(self, ending: str) -> None:
        if self._closed:
            return
        self._closed = True
        _open.discard(self)
        if self._generation != _generation[0]:
            return
        if ending == "failed":
            self._figures.stop_reason = "error"
        elif ending == "done" and self._embeddings:
            self._figures.stop_reason = "stop"
        self._response = None
        self._hold.sink(self._figures)

    def leave(self) -> None:
        """Nobody listens to this call any more. A body that came whole is read, whoever else read it."""
        if self._closed or not self._began:
            return
        content = own(self._response, "_content")
        if isinstance(content, bytes):
            reading = BodyReading(self.value)
            quietly(reading.add, content)
            quietly(self.end_of_body, reading)
        else:
            self.end("left")

    def end_of_body(self, reading: BodyReading) -> None:
        """The body has come whole. If it cannot be read, its usage is not known: there is no event that could say so, so there is none."""
        if reading.finish():
            self.end("done")
        elif not self._closed:
            self._closed = True
            self._response = None
            _open.discard(self)

    def __del__(self) -> None:
        quietly(self.leave)


def _reached_the_network(error: BaseException) -> bool:
    """False for errors that a client raises without making a call: bad arguments, no key."""
    if isinstance(error, OSError):
        return True
    return any(at(error, name) is not None for name in ("response", "request", "status_code", "raw_response"))


def settle_open_calls() -> None:
    """Closes the calls that the host left open, because the process ends: each gives its event now."""
    open_calls: Optional[List[Call]] = quietly(lambda: list(_open))
    for call in open_calls or ():
        call.leave()


def forget_open_calls() -> None:
    """In the child of a fork: the parent reports the calls that were open."""
    _generation[0] += 1
    _open.clear()
