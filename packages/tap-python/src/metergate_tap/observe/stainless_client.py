"""
Observes the clients of the OpenAI, Anthropic and Groq SDKs and of others made by the same generator: all their resources and helpers make
their calls through the client's own `request`, so one hook sees each provider call once, below every frame that a host's warnings or
profiles count.
"""

from __future__ import annotations

import inspect
import re
from typing import Any, Callable, List, Optional

from ..runtime import quietly
from .call import Call, Hold
from .connection import observe_connections
from .in_place import look_at_returned, override
from .look import at, own
from .raw_response import follow_parsed, follow_raw_response, follow_response, is_raw_response
from .streams import follow_source
from .under_way import UnderWay

_CALL_PATH = re.compile(r"(.*/(completions|embeddings|responses(/compact)?)|(/v1)?/(messages|complete))(\?.*)?")
"""Paths of calls that can carry usage; not token counts, batches or stored answers."""
_RESULTS_PATH = re.compile(r".*/batches/[^/]+/results")

_under_way: UnderWay[List[Call]] = UnderWay("metergate_tap_call")
"""The call whose request the current thread or task is making, so that its response can be matched; emptied when it is made."""


def is_stainless(client: Any) -> bool:
    kind = type(client)
    return all(inspect.isfunction(at(kind, name)) for name in ("request", "post", "_process_response", "_build_request"))


def observe_stainless(hold: Hold, observe_child: Callable[[Any], Any]) -> bool:
    """Observes the client in place; false if it is of another kind or cannot be changed."""
    client = hold.client
    if not is_stainless(client):
        return False
    for name in ("copy", "with_options"):
        look_at_returned(client, name, observe_child)
    quietly(observe_connections, hold)
    override(client, "_process_response", _hear_head)
    override(client, "_process_response_data", _hear_answer)
    if inspect.iscoroutinefunction(type(client).request):
        return override(client, "request", _request_async(hold))
    return override(client, "request", _request(hold))


def _hear_head(run: Any, *args: Any, **kwargs: Any) -> Any:
    box = _under_way.here()
    if box:
        box[0].head(kwargs.get("response"))
    return run(*args, **kwargs)


def _hear_answer(run: Any, *args: Any, **kwargs: Any) -> Any:
    """Takes the answer as it came over the wire, before any helper of the SDK transforms or refuses it."""
    answer = run(*args, **kwargs)
    box = _under_way.here()
    if box:
        box[0].value(answer)
        box[0].end("done")
    return answer


def _request(hold: Hold) -> Any:
    def stand_in(run: Any, *args: Any, **kwargs: Any) -> Any:
        call = quietly(_begin, hold, args, kwargs)
        if call is None:
            return _heard_batch(hold, args, kwargs, run(*args, **kwargs))
        box = [call]
        before = _under_way.enter(box)
        try:
            result = run(*args, **kwargs)
        except BaseException as error:
            call.fail(error)
            raise
        finally:
            box.clear()
            _under_way.leave(before)
        quietly(_follow, result, call)
        return result

    return stand_in


def _request_async(hold: Hold) -> Any:
    async def stand_in(run: Any, *args: Any, **kwargs: Any) -> Any:
        call = quietly(_begin, hold, args, kwargs)
        if call is None:
            return _heard_batch(hold, args, kwargs, await run(*args, **kwargs))
        box = [call]
        before = _under_way.enter_in_task(box)
        try:
            result = await run(*args, **kwargs)
        except BaseException as error:
            call.fail(error)
            raise
        finally:
            box.clear()
            _under_way.leave_in_task(before)
        quietly(_follow, result, call)
        return result

    return stand_in


def _options(args: Any, kwargs: Any) -> Any:
    return kwargs["options"] if "options" in kwargs else args[1]


def _begin(hold: Hold, args: Any, kwargs: Any) -> Optional[Call]:
    options = _options(args, kwargs)
    if str(options.method).upper() != "POST" or _CALL_PATH.fullmatch(options.url) is None:
        return None
    return Call(hold, options, "embed" in options.url)


def _follow(result: Any, call: Call) -> None:
    if is_raw_response(result):
        follow_raw_response(result, call)
    elif own(result, "_content") is not None or hasattr(result, "iter_bytes"):  # the HTTP response itself
        follow_response(result, call)
        if own(result, "_content") is not None:
            call.leave()
    else:
        follow_parsed(result, call)


def _heard_batch(hold: Hold, args: Any, kwargs: Any, results: Any) -> Any:
    """
    A message batch's results, read line by line. Each message in them was a provider call, so each line with a message, or with an error
    in its place, gives an event; requests that were cancelled or expired were never made. A message read twice has the same id.
    """
    if quietly(lambda: _RESULTS_PATH.fullmatch(_options(args, kwargs).url)):
        quietly(follow_source, results, _BatchLines(hold))
    return results


class _BatchLines:
    """Receives the lines of a batch's results, as a call receives the parts of its answer."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold

    def start(self) -> None:
        pass

    def value(self, line: Any) -> None:
        quietly(self._see, own(line, "result"))

    def end(self, ending: str) -> None:
        pass

    def fail(self, error: BaseException) -> None:
        pass

    def _see(self, result: Any) -> None:
        failed = own(result, "type") == "errored"
        message = own(result, "message")
        if failed or message is not None:
            call = Call(self._hold)
            call.value(message)
            call.end("failed" if failed else "done")
