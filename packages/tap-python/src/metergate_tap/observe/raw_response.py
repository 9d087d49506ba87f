"""
Follows the response objects of `with_raw_response` and `with_streaming_response`: the answer is read when the host has the SDK parse it, or
from the bytes that the host reads, in whatever way. A body that came whole before the host has the response is read at the end.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable

from ..runtime import native, quietly
from .body import follow_body
from .call import Call
from .in_place import override_passing
from .look import own
from .streams import follow_stream


def is_raw_response(found: Any) -> bool:
    return own(found, "http_response") is not None and hasattr(found, "parse")


def follow_raw_response(raw: Any, call: Call) -> None:
    stand_ins = {"parse": _hearing(lambda parsed: follow_parsed(parsed, call)), "close": _closing(call)}
    if not follow_response(own(raw, "http_response"), call):  # not of a kind that shows its bytes
        stand_ins["json"] = _hearing(lambda data: _whole(data, call))
        stand_ins["text"] = stand_ins["read"] = _hearing(lambda body: _whole(native.decode_json(_text(body)), call))
    override_passing(raw, stand_ins)


def follow_response(response: Any, call: Call) -> bool:
    """The HTTP response, which the host reads itself. False if its bytes cannot be seen."""
    if follow_body(response, call):
        return True
    call.keep(response)
    return own(response, "_content") is not None


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
