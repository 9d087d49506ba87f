"""The script for clients of the first wire's chat calls: `openai` and `groq`, synchronous and asynchronous."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, List

from .body_steps import Calls, body_steps
from .compare import NONE, Expected, Step, drain, got, silent

LIMITS = {"requests_limit": 500, "requests_remaining": 499, "tokens_limit": 30000, "tokens_remaining": None}
SPOKEN = [{"role": "user", "content": "CANARY-prompt"}]
STREAMED = {"stream": True, "stream_options": {"include_usage": True}}


def chat_seen(model: str, **other: Any) -> Expected:
    return {
        "provider": "other", "model": f"served-{model}", "request_id": "chatcmpl-N", "input_tokens": 11, "output_tokens": 7,
        "cached_tokens": 4, "stop_reason": "stop", "tool_calls": 0, "status": 200, "rate_limit": LIMITS, **other,
    }  # fmt: skip


def failed(model: str, status: int) -> Expected:
    headed = status != 599
    return {
        "model": model, **NONE, "stop_reason": "error", "tool_calls": 0, "status": status,
        "request_id": "req_first" if headed else None, "rate_limit": LIMITS if headed else None,
    }  # fmt: skip


def chat(client: Any, model: str, **more: Any) -> Any:
    return client.chat.completions.create(model=model, messages=SPOKEN, **more)


ENDINGS = (
    ("m", {}),
    ("m.tools", {"stop_reason": "tool_calls", "tool_calls": 2}),
    ("m.length", {"stop_reason": "length"}),
    ("m.filter", {"stop_reason": "content_filter"}),
)


def chat_steps(streamed: Any = STREAMED, word: str = "") -> List[Step]:
    """`streamed` asks for a stream with usage; `word` is added to the requested models."""

    def streaming(c: Any, model: str) -> Any:
        return chat(c, f"{model}{word}", **streamed)

    def seen(model: str, **other: Any) -> Expected:
        return chat_seen(f"{model}{word}", **other)

    async def whole(c: Any, model: str) -> Any:
        return await drain(await got(streaming(c, model)))

    steps: List[Step] = []
    for model, other in ENDINGS:
        steps.append(Step(f"chat {model}", lambda c, model=model: chat(c, model), [chat_seen(model, **other)]))
        steps.append(Step(f"chat {model} streamed", lambda c, model=model: whole(c, model), [seen(model, **other)]))
    for status in (400, 401, 429, 500):
        model = f"m.status-{status}"
        steps.append(Step(f"answered by {status}", lambda c, model=model: chat(c, model), [failed(model, status)]))
        refused = failed(f"{model}{word}", status)
        steps.append(Step(f"answered by {status} streamed", lambda c, model=model: streaming(c, model), [refused]))
    steps.append(Step("streamed without usage", _without_usage, [chat_seen("m", **NONE)]))

    async def left(c: Any) -> Any:
        return await drain(await got(streaming(c, "m")), lambda _: True)

    async def closed(c: Any) -> Any:
        stream = await got(streaming(c, "m.stall"))
        first = await drain(stream, lambda _: True)
        await got(stream.close())
        return [first, stream.response.is_closed]

    async def within(c: Any) -> Any:
        stream = await got(streaming(c, "m"))
        if hasattr(stream, "__aenter__"):
            async with stream as one:
                return [one is stream, await drain(one)]
        with stream as one:
            return [one is stream, await drain(one)]

    async def by_hand(c: Any) -> Any:
        stream = await got(streaming(c, "m"))
        if hasattr(stream, "__anext__"):
            return [await stream.__anext__(), await stream.__anext__()]
        return [next(stream), next(stream)]

    async def twice(c: Any) -> Any:
        stream = await got(streaming(c, "m"))
        return [await drain(stream), await drain(stream)]

    async def shape(c: Any) -> Any:
        stream = await got(streaming(c, "m"))
        kind = [type(stream).__mro__, dir(stream), stream.response.status_code]
        await drain(stream)
        return kind

    cut = {**NONE, "request_id": "chatcmpl-N"}
    steps += [
        Step("left at the first chunk", left, [seen("m", **cut, stop_reason="other")]),
        Step("closed by the host", closed, [seen("m.stall", **cut, stop_reason="other")]),
        Step("within", within, [seen("m")]),
        Step("next by hand", by_hand, [seen("m", **cut, stop_reason="other")]),
        Step("read a second time", twice, [seen("m")]),
        Step("cut by the provider", lambda c: whole(c, "m.cut"), [seen("m.cut", **cut, stop_reason="error")]),
        Step("the stream itself", shape, [seen("m")]),
        Step("never read", lambda c: _unread(streaming(c, "m")), [{**NONE, "model": f"m{word}", "stop_reason": "other", "status": 200}]),
        Step("timed out before the head", lambda c: chat(c, "m.hang", timeout=silent(c)), [failed("m.hang", 599)]),
        Step("dropped before the head", lambda c: chat(c, "m.drop"), [failed("m.drop", 599)]),
        Step("cut in a json body", lambda c: chat(c, "m.cut.bare"), [failed("m.cut.bare", 599)]),
        Step("no json in a json body", lambda c: chat(c, "m.nojson"), [failed("m.nojson", 200)]),
        Step("bad arguments make no call", lambda c: c.chat.completions.create(messages=SPOKEN), []),
        Step("model lists give no event", _listed, []),
        Step("a retry inside is one event", _retried, [chat_seen("m.status-429.once")], unheard=True),
        Step("children of with_options", lambda c: chat(c.with_options(timeout=5).with_options(), "m"), [chat_seen("m")]),
        Step("children of copy", lambda c: chat(c.copy(), "m"), [chat_seen("m")]),
        Step("cancelled before the head", _cancelled, [failed("m.hang", 599)], alone=True),
        Step("twenty at once keep their order", _at_once, [{"status": 200}] * 20),
    ]
    bodies = Calls(
        lambda c: c.chat.completions, lambda model: {"model": model, "messages": SPOKEN}, streamed, word,
        lambda model, **other: chat_seen(model, **other), cut,
        {**NONE, "request_id": "req_first", "stop_reason": "other", "status": 200, "rate_limit": LIMITS},
    )  # fmt: skip
    return steps + raw_steps(streamed, word) + body_steps(bodies)


def raw_steps(streamed: Any, word: str) -> List[Step]:
    async def raw(c: Any, read: Any = lambda r: r.parse(), **more: Any) -> Any:
        response = await got(c.chat.completions.with_raw_response.create(model=more.pop("model", "m"), messages=SPOKEN, **more))
        return [response.status_code, response.headers.get("x-request-id"), type(response), await got(read(response))]

    async def raw_stream(c: Any) -> Any:
        response = await got(c.chat.completions.with_raw_response.create(model=f"m{word}", messages=SPOKEN, **streamed))
        return await drain(await got(response.parse()))

    async def streaming(c: Any, read: Any, **more: Any) -> Any:
        manager = c.chat.completions.with_streaming_response.create(model=more.pop("model", "m"), messages=SPOKEN, **more)
        if hasattr(manager, "__aenter__"):
            async with manager as response:
                return [response.status_code, await got(read(response))]
        with manager as response:
            return [response.status_code, await got(read(response))]

    async def parsed_stream(response: Any) -> Any:
        return await drain(await got(response.parse()))

    bare = {**NONE, "model": "m", "request_id": "req_first", "stop_reason": "other", "status": 200, "rate_limit": LIMITS}
    return [
        Step("raw parsed", raw, [chat_seen("m")]),
        Step("raw parsed twice", lambda c: raw(c, lambda r: [r.parse() is r.parse()] if type(r).__name__ == "LegacyAPIResponse" else r.parse()), [chat_seen("m")]),
        Step("raw never parsed", lambda c: raw(c, lambda r: r.http_response.text), [chat_seen("m")]),
        Step("raw of an error", lambda c: raw(c, model="m.status-500"), [failed("m.status-500", 500)]),
        Step("raw of a stream", raw_stream, [chat_seen(f"m{word}")]),
        Step("streaming parsed", lambda c: streaming(c, lambda r: r.parse()), [chat_seen("m")]),
        Step("streaming json", lambda c: streaming(c, lambda r: r.json()), [chat_seen("m")]),
        Step("streaming text", lambda c: streaming(c, lambda r: r.text()), [chat_seen("m")]),
        Step("streaming read", lambda c: streaming(c, lambda r: r.read()), [chat_seen("m")]),
        Step("streaming of a stream", lambda c: streaming(c, parsed_stream, model=f"m{word}", **streamed), [chat_seen(f"m{word}")]),
        Step("streaming unread", lambda c: streaming(c, lambda r: 1), [bare]),
    ]  # fmt: skip


async def _unread(stream: Any) -> Any:
    return type(await got(stream))


async def _without_usage(c: Any) -> Any:
    return await drain(await got(chat(c, "m", stream=True)))


async def _listed(c: Any) -> Any:
    return type(await got(c.models.list())).__name__


async def _retried(c: Any) -> Any:
    return await got(chat(c.with_options(max_retries=1), "m.status-429.once"))


async def _cancelled(c: Any, provider: Any) -> Any:
    """An asynchronous call is cancelled; a synchronous one runs into its client's timeout."""
    if not type(c).__name__.startswith("Async"):
        return chat(c, "m.hang", timeout=silent(c))
    task = asyncio.ensure_future(chat(c, "m.hang"))
    loop, before = asyncio.get_running_loop(), provider.calls()
    threading.Thread(target=provider.once_asked, args=(before, lambda: loop.call_soon_threadsafe(task.cancel))).start()
    return await task


async def _at_once(c: Any) -> Any:
    order: List[int] = []

    async def one(number: int) -> None:
        more = {"stream": True} if number % 3 == 0 else {}
        model = "m" if number % 2 else "m.tools"
        answer = await got(chat(c, model, **more))
        if more:
            await drain(answer)
        order.append(number)

    await asyncio.gather(*(one(number) for number in range(20)))
    return len(order)
