"""
An iterator that stands in for another and reports what that one yields: nothing is read unless the host asks for it, and nothing is copied.
"""

from __future__ import annotations

from typing import Any


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
