"""
Observes clients by the methods that make their calls: Google's and Mistral's SDKs, and unknown clients that have methods of the same
names.
"""

from __future__ import annotations

import inspect
import types
from typing import Any, List, Tuple

from ..identity_map import IdentityMap
from ..runtime import native, quietly
from .call import Call, Hold
from .heard_iterator import heard
from .in_place import StandIn, is_function, override, override_passing
from .look import at, own
from .streams import follow_stream, heard_generator
from .under_way import UnderWay

_GOOGLE = "_generate_content _generate_content_stream _embed_content"
_GOOGLE_SEAMS = (
    ("models", f"{_GOOGLE} generate_content generate_content_stream embed_content"),
    ("aio.models", f"{_GOOGLE} generate_content generate_content_stream embed_content"),
)
_MISTRAL = "complete complete_async stream stream_async"
_MISTRAL_SEAMS = (("chat", _MISTRAL), ("agents", _MISTRAL), ("fim", _MISTRAL), ("embeddings", "create create_async"))
_SEAMS: Tuple[Tuple[str, str], ...] = (
    *_GOOGLE_SEAMS,
    *_MISTRAL_SEAMS,
    ("chat.completions", "create"),
    ("completions", "create"),
    ("responses", "create"),
    ("messages", "create"),
    ("beta.chat.completions", "create"),
    ("beta.responses", "create"),
    ("beta.messages", "create"),
)
"""
The methods of a client's parts, by the parts' names. Google's inner methods make one call each, while a public one may make several.
On a known client only its own parts are accessed: other parts are loaded, or warn, on first access.
"""
_KNOWN = (("google.genai", _GOOGLE_SEAMS), ("mistralai", _MISTRAL_SEAMS))

_inside: UnderWay[Hold] = UnderWay("metergate_tap_inside")
"""Set while a method of this client runs: whatever that method calls on the client belongs to the same call."""
_kept: IdentityMap[Call] = IdentityMap()
"""Calls whose answer is an object that cannot be observed: they end with it."""


def observe_methods(hold: Hold) -> bool:
    """Observes the client in place; false if it has none of the methods or cannot be changed."""
    observed = False
    known = next((seams for module, seams in _KNOWN if type(hold.client).__module__.startswith(module)), None)
    for path, names in known or _SEAMS:
        owner = at(hold.client, path)
        methods: List[str] = names.split(" ")
        if owner is None:
            continue
        if is_function(quietly(getattr, owner, "_generate_content")):
            methods = [name for name in _GOOGLE.split(" ") if hasattr(owner, name)]
            methods += [] if "_embed_content" in methods else ["embed_content"]  # before the second major
        stand_ins = {name: _stand_in(hold, owner, name, "embed" in path + name) for name in methods}
        if known:
            observed = override_passing(owner, stand_ins) or observed
        else:
            observed = any([override(owner, name, stand_in) for name, stand_in in stand_ins.items()]) or observed
    return observed


def _stand_in(hold: Hold, owner: Any, name: str, embeddings: bool) -> StandIn:
    def begin(args: Any, kwargs: Any) -> Any:
        return None if _inside.here() is hold else Call(hold, kwargs or (args[0] if args else None), embeddings)

    def stand_in(run: Any, *args: Any, **kwargs: Any) -> Any:
        call = quietly(begin, args, kwargs)
        if call is None:
            return run(*args, **kwargs)
        before = _inside.enter(hold)
        try:
            outcome = run(*args, **kwargs)
        except BaseException as error:
            call.fail(error)
            raise
        finally:
            _inside.leave(before)
        if inspect.iscoroutine(outcome):
            return _heard_later(outcome, call)
        return _followed(outcome, call)

    async def stand_in_async(run: Any, *args: Any, **kwargs: Any) -> Any:
        call = quietly(begin, args, kwargs)
        if call is None:
            return await run(*args, **kwargs)
        before = _inside.enter_in_task(hold)
        try:
            outcome = await run(*args, **kwargs)
        except BaseException as error:
            call.fail(error)
            raise
        finally:
            _inside.leave_in_task(before)
        return _followed(outcome, call)

    return stand_in_async if inspect.iscoroutinefunction(quietly(getattr, owner, name)) else stand_in


async def _heard_later(outcome: Any, call: Call) -> Any:
    try:
        answer = await outcome
    except BaseException as error:
        call.fail(error)
        raise
    return _followed(answer, call)


def _followed(answer: Any, call: Call) -> Any:
    """The answer as the host gets it: the same object, except that a bare generator is replaced by one of ours."""
    return quietly(_follow, answer, call) or answer


def _follow(answer: Any, call: Call) -> Any:
    if isinstance(answer, (types.GeneratorType, types.AsyncGeneratorType)):
        return heard_generator(answer, _Headed(call))
    head = own(answer, "response sdk_http_response")
    if follow_stream(answer, call):
        call.head(head)
    elif hasattr(answer, "__next__") or hasattr(answer, "__anext__"):
        if type(answer).__module__.startswith("google.genai"):
            return heard(answer, _Headed(call))
        call.head(head)
        if not _kept.set_while_it_lives(answer, call):
            call.end("left")
    else:
        call.head(head)
        call.value(_parsed(answer))
        call.end("done")
    return None


def _parsed(answer: Any) -> Any:
    """The answer; what its body says if the host asked Google's SDK for the HTTP response alone (`should_return_http_response`)."""
    body = own(answer, "sdk_http_response.body")
    if not isinstance(body, str) or own(answer, "candidates usage_metadata") is not None:
        return answer
    return quietly(native.decode_json, body) or answer


class _Headed:
    """Follows a generator that makes its request when it is first read: the head comes with its parts."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._headed = False

    def start(self) -> None:
        self._call.start()

    def value(self, part: Any) -> None:
        if not self._headed:
            self._headed = True
            self._call.head(own(part, "response sdk_http_response"))
        self._call.value(_parsed(part))

    def end(self, ending: str) -> None:
        self._call.head(None)
        self._call.end(ending)

    def fail(self, error: BaseException) -> None:
        self._call.fail(error)
