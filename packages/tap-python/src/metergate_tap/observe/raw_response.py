"""
Follows the response objects of `with_raw_response` and `with_streaming_response`: the answer is read when the host has the SDK parse it, or
reads it as JSON or text. If the host reads it in another way, a body that came whole is read at the end; else only the head is known.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable

from ..runtime import native, quietly
from .call import Call
from .in_place import override_passing
from .look import own
from .streams import follow_stream


def is_raw_response(found: Any) -> bool:
    return own(found, "http_response") is not None and hasattr(found, "parse")


def follow_raw_response(raw: Any, call: Call) -> None:
    call.keep(own(raw, "http_response"))
    text = _hearing(lambda body: _whole(native.decode_json(_text(body)), call))
    override_passing(
        raw,
        {
            "parse": _hearing(lambda parsed: follow_parsed(parsed, call)),
            "json": _hearing(lambda data: _whole(data, call)),
            "text": text,  # only if it is a method, like `read`
            "read": text,
            "close": _closing(call),
        },
    )


def follow_parsed(parsed: Any, call: Call) -> None:
    """What the SDK made of the body: a stream that was not read yet, or the answer."""
    if not follow_stream(parsed, call):
        _whole(parsed, call)


def _whole(answer: Any, call: Call) -> None:
    call.value(answer)
    call.end("done")


def _text(body: Any) -> str:
    return body.decode() if isinstance(body, bytes) else body


def _hearing(hear: Callable[[Any], None]) -> Any:
    def stand_in(run: Any, *args: Any, **kwargs: Any) -> Any:
        outcome = run(*args, **kwargs)
        if inspect.iscoroutine(outcome):
            return _heard_later(outcome, hear)
        quietly(hear, outcome)
        return outcome

    return stand_in


async def _heard_later(outcome: Any, hear: Callable[[Any], None]) -> Any:
    result = await outcome
    quietly(hear, result)
    return result


def _closing(call: Call) -> Any:
    def stand_in(run: Any, *args: Any, **kwargs: Any) -> Any:
        call.leave()
        return run(*args, **kwargs)

    return stand_in
