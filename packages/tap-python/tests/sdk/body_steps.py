"""
The ways in which a host reads the body of an answer itself, of clients that have `with_raw_response` and `with_streaming_response`: whole or
in the middle of it, as JSON or a stream of events, compressed or not. Each gives the figures that the parsed answer would give.
"""

from __future__ import annotations

import zlib
from typing import Any, Callable, Dict, List, NamedTuple

from .compare import Expected, Step, drain, got


class Calls(NamedTuple):
    """One resource of a client, and what the tap must see of its calls."""

    place: Callable[[Any], Any]
    asking: Callable[[str], Dict[str, Any]]
    """The arguments for a model."""
    streamed: Dict[str, Any]
    """The arguments that ask for a stream with its usage."""
    word: str
    """Added to the requested models of streams."""
    seen: Callable[..., Expected]
    begun: Expected
    """What differs once the first event of a stream was read, and no more."""
    bare: Expected
    """What is seen of a call whose body was not read to any figure."""


class _Left(Exception):
    pass


def _joined(parts: List[Any], between: str = "") -> Any:
    return parts and (b"".join(parts) if isinstance(parts[0], bytes) else between.join(parts))


def _is_async(response: Any) -> bool:
    return hasattr(type(response), "__aenter__") or type(response).__name__.startswith("Async")


async def _raw(response: Any) -> Any:
    """The bytes as they came; compressed, they differ from call to call."""
    http = response.http_response
    whole = _joined(await drain(http.aiter_raw() if "Async" in type(http.stream).__name__ else http.iter_raw()))
    return zlib.decompress(whole, zlib.MAX_WBITS | 16) if http.headers.get("content-encoding") == "gzip" else whole


async def _by_bytes(response: Any) -> Any:
    return _joined(await drain(response.iter_bytes()))


async def _by_odd(response: Any) -> Any:
    """The bytes of a coding that nobody knows, decoded: ids differ from call to call."""
    return bytes(each ^ 0xFF for each in await _by_bytes(response)).decode()


async def _by_seven(response: Any) -> Any:
    return _joined(await drain(response.iter_bytes(7)))


async def _by_lines(response: Any) -> Any:
    return _joined(await drain(response.iter_lines()), "\n")


async def _by_text(response: Any) -> Any:
    return _joined(await drain(response.iter_text()))


async def _below(response: Any) -> Any:
    """The HTTP response below the SDK's."""
    http = response.http_response
    return _joined(await drain(http.aiter_lines() if "Async" in type(http.stream).__name__ else http.iter_lines()), "\n")


async def _until_done(response: Any) -> Any:
    """The loop of many a program: it leaves at the last line."""
    return await drain(response.iter_lines(), lambda line: line in ("data: [DONE]", "event: message_stop"))


WAYS: Dict[str, Callable[[Any], Any]] = {
    "bytes": _by_bytes, "seven bytes at a time": _by_seven, "lines": _by_lines, "text": _by_text, "raw": _raw, "lines of the HTTP response": _below,
    "read": lambda r: r.read(), "text, whole": lambda r: r.text(),
}  # fmt: skip


def body_steps(calls: Calls) -> List[Step]:
    def streaming(c: Any, read: Any, model: str, **more: Any) -> Any:
        return _within(calls.place(c).with_streaming_response.create(**calls.asking(model), **more), read)

    async def raw_lines(c: Any, model: str) -> Any:
        response = await got(calls.place(c).with_raw_response.create(**calls.asking(model), **calls.streamed))
        return await _below(response)

    async def below_the_stream(c: Any, model: str) -> Any:
        stream = await got(calls.place(c).create(**calls.asking(model), **calls.streamed))
        http = stream.response
        return _joined(await drain(http.aiter_bytes() if "Async" in type(http.stream).__name__ else http.iter_bytes()))

    async def leaves(response: Any) -> Any:
        return len(await drain(response.iter_lines(), lambda line: line.startswith("data:")))

    async def raises(response: Any) -> Any:
        await drain(response.iter_lines(), lambda line: line.startswith("data:"))
        raise _Left("CANARY")

    streams, steps = calls.streamed, []
    for word in ("", ".gzip"):
        json, stream = f"m{word}", f"m{calls.word}{word}"
        for name, read in WAYS.items():
            steps.append(Step(f"json{word} by {name}", lambda c, read=read, m=json: streaming(c, read, m), [calls.seen(json)]))
            steps.append(Step(f"stream{word} by {name}", lambda c, read=read, m=stream: streaming(c, read, m, **streams), [calls.seen(stream)]))
        steps += [
            Step(f"json{word} as json", lambda c, m=json: streaming(c, lambda r: r.json(), m), [calls.seen(json)]),
            Step(f"stream{word}, left at its last line", lambda c, m=stream: streaming(c, _until_done, m, **streams), [calls.seen(stream)]),
            Step(f"raw stream{word} by lines", lambda c, m=stream: raw_lines(c, m), [calls.seen(stream)]),
            Step(f"the response below a stream{word}", lambda c, m=stream: below_the_stream(c, m), [calls.seen(stream)]),
        ]
    stall, cut = f"m.stall{calls.word}", f"m.cut{calls.word}"
    return steps + [
        Step("left by lines", lambda c: streaming(c, leaves, stall, **streams), [calls.seen(stall, **calls.begun, stop_reason="other")]),
        Step("raises in the middle", lambda c: streaming(c, raises, stall, **streams), [calls.seen(stall, **calls.begun, stop_reason="other")]),
        Step("cut by the provider, by lines", lambda c: streaming(c, _by_lines, cut, **streams), [calls.seen(cut, **calls.begun, stop_reason="error")]),
        Step("json cut by the provider, by bytes", lambda c: streaming(c, _by_bytes, "m.cut"), [{**calls.bare, "model": "m.cut", "stop_reason": "error"}]),
        Step("no json, by bytes: a text without usage", lambda c: streaming(c, _by_bytes, "m.nojson"), [{**calls.bare, "model": "m.nojson"}]),
        Step("a coding that nobody reads: no event", lambda c: streaming(c, _by_odd, "m.odd"), [], unheard=True),
        Step("not read at all", lambda c: streaming(c, lambda r: 1, "m.gzip"), [{**calls.bare, "model": "m.gzip"}]),
    ]  # fmt: skip


async def _within(manager: Any, read: Callable[[Any], Any]) -> Any:
    if hasattr(manager, "__aenter__"):
        async with manager as response:
            return [response.status_code, await got(read(response))]
    with manager as response:
        return [response.status_code, await got(read(response))]
