"""
Follows a stream while the host reads it: the object stays the same, and the source it reads from is observed. Nothing is read unless the
host asks for it, nothing is copied, and nothing waits.
"""

from __future__ import annotations

import types
from typing import Any

from ..runtime import quietly
from .call import Call
from .in_place import fields_of, override_passing

_SOURCES = ("_iterator", "generator")
"""Where the SDKs' stream objects keep their source: OpenAI, Anthropic and Groq; Mistral."""


class HeardIterator:
    """An iterator that reports to a call what it yields. In everything else it behaves as the one it replaces."""

    def __init__(self, inner: Any, call: Any) -> None:
        self._inner = inner
        self._call = call

    def __iter__(self) -> "HeardIterator":
        return self

    def __next__(self) -> Any:
        self._call.start()
        try:
            part = next(self._inner)
        except StopIteration:
            self._call.end("done")
            raise
        except BaseException as error:
            self._call.fail(error)
            raise
        self._call.value(part)
        return part

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class HeardAsyncIterator:
    """The same for an asynchronous iterator."""

    def __init__(self, inner: Any, call: Any) -> None:
        self._inner = inner
        self._call = call

    def __aiter__(self) -> "HeardAsyncIterator":
        return self

    async def __anext__(self) -> Any:
        self._call.start()
        try:
            part = await self._inner.__anext__()
        except StopAsyncIteration:
            self._call.end("done")
            raise
        except BaseException as error:
            self._call.fail(error)
            raise
        self._call.value(part)
        return part

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def heard(source: Any, call: Any) -> Any:
    """An iterator that reads like the source and reports to the call; None if the source is not an iterator."""
    if hasattr(source, "__anext__"):
        return HeardAsyncIterator(source, call)
    return HeardIterator(source, call) if hasattr(source, "__next__") else None


def follow_stream(stream: Any, call: Call) -> bool:
    """Follows a stream object of an SDK, in place; false if it is not one."""
    if not follow_source(stream, call):
        return False
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
