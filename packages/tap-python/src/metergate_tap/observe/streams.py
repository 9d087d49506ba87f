"""
Follows a stream while the host reads it: the object stays the same, and the source it reads from is observed. Nothing is read unless the
host asks for it, nothing is copied, and nothing waits.
"""

from __future__ import annotations

import types
from typing import Any

from ..runtime import quietly
from .body import follow_body
from .call import Call
from .heard_iterator import heard
from .in_place import fields_of, override_passing
from .look import own

_SOURCES = ("_iterator", "generator")
"""Where the SDKs' stream objects keep their source: OpenAI, Anthropic and Groq; Mistral."""


def follow_stream(stream: Any, call: Call) -> bool:
    """Follows a stream object of an SDK, in place; false if it is not one. The host may read the response below it instead."""
    if not follow_source(stream, call):
        return False
    follow_body(own(stream, "response"), call)
    override_passing(stream, dict.fromkeys(("close", "aclose"), _leaving(call)))
    return True


def follow_source(stream: Any, call: Any) -> bool:
    """Listens to a stream object's source; false if it is no stream object."""
    fields = fields_of(stream)
    for name in _SOURCES if fields is not None else ():
        if name not in fields and hasattr(type(stream), name):
            quietly(getattr, stream, name)  # made on first access, and kept (Anthropic)
        listening = heard(fields.get(name), call)
        if listening is not None:
            fields[name] = listening
            return True
    return False


def _leaving(call: Call) -> Any:
    def stand_in(run: Any, *args: Any, **kwargs: Any) -> Any:
        call.end("left")
        return run(*args, **kwargs)

    return stand_in


def heard_generator(inner: Any, call: Any) -> Any:
    """A generator that yields what another yields and reports it to the call: for hosts that check whether they have a generator."""
    listening = heard(inner, call)
    if isinstance(inner, types.AsyncGeneratorType):
        return _async_generator(inner, listening)
    return _generator(inner, listening)


def _generator(inner: Any, listening: Any) -> Any:
    try:
        for part in listening:
            yield part
    finally:
        inner.close()


async def _async_generator(inner: Any, listening: Any) -> Any:
    try:
        async for part in listening:
            yield part
    finally:
        await inner.aclose()
