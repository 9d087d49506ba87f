"""The `anthropic` SDK, bare and observed. Spec: Tap client wrapper 1 and 2; rules 27, 28, 30b."""

from __future__ import annotations

import unittest
from typing import Any, List

try:
    import anthropic
except ImportError as missing:
    raise unittest.SkipTest("anthropic is not installed") from missing

from .body_steps import Calls, body_steps
from .compare import NONE, Expected, Script, Step, cases, drain, got, silent

LIMITS = {"requests_limit": 50, "requests_remaining": 49, "tokens_limit": 40000, "tokens_remaining": 39000}
BEGUN = {"input_tokens": 10, "output_tokens": 1, "cached_tokens": 2}
"""What is known if a stream ends after `message_start`."""


def asking(model: str) -> Any:
    return {"model": model, "max_tokens": 9, "messages": [{"role": "user", "content": "CANARY-prompt"}]}


def seen_as(model: str, **other: Any) -> Expected:
    return {
        "provider": "other", "model": f"served-{model}", "request_id": "msg-N", "input_tokens": 10, "output_tokens": 6,
        "cached_tokens": 2, "stop_reason": "stop", "tool_calls": 0, "status": 200, "rate_limit": LIMITS, **other,
    }  # fmt: skip


def failed(model: str, status: int) -> Expected:
    headed = status != 599
    return {
        "model": model, **NONE, "stop_reason": "error", "tool_calls": 0, "status": status,
        "request_id": "req_second" if headed else None, "rate_limit": LIMITS if headed else None,
    }  # fmt: skip


ENDINGS = (
    ("m", {}),
    ("m.tools", {"stop_reason": "tool_calls", "tool_calls": 2}),
    ("m.length", {"stop_reason": "length"}),
    ("m.filter", {"stop_reason": "content_filter"}),
)


def on(name: str, place: Any) -> List[Step]:
    """The steps on one resource that sends messages."""

    def ask(c: Any, model: str, **more: Any) -> Any:
        return place(c).create(**asking(model), **more)

    async def streamed(c: Any, model: str, last: Any = lambda _: False) -> Any:
        return await drain(await got(ask(c, model, stream=True)), last)

    async def raw(c: Any) -> Any:
        response = await got(place(c).with_raw_response.create(**asking("m")))
        return [response.status_code, await got(response.parse())]

    async def streaming(c: Any, read: Any) -> Any:
        manager = place(c).with_streaming_response.create(**asking("m"))
        if hasattr(manager, "__aenter__"):
            async with manager as response:
                return await got(read(response))
        with manager as response:
            return read(response)

    steps: List[Step] = []
    for model, other in ENDINGS:
        steps.append(Step(f"{name} {model}", lambda c, model=model: ask(c, model), [seen_as(model, **other)]))
        steps.append(Step(f"{name} {model} streamed", lambda c, model=model: streamed(c, model), [seen_as(model, **other)]))
    for status in (400, 401, 429, 500, 529):
        model = f"m.status-{status}"
        steps.append(Step(f"{name} answered by {status}", lambda c, model=model: ask(c, model), [failed(model, status)]))
    return steps + [
        Step(f"{name} left at the first event", lambda c: streamed(c, "m", lambda _: True), [seen_as("m", **BEGUN, stop_reason="other")]),
        Step(f"{name} cut by the provider", lambda c: streamed(c, "m.cut"), [seen_as("m.cut", **BEGUN, stop_reason="error")]),
        Step(f"{name} error event in the stream", lambda c: streamed(c, "m.oops"), [seen_as("m.oops", **BEGUN, stop_reason="error")]),
        Step(f"{name} timed out", lambda c: ask(c, "m.hang", timeout=silent(c)), [failed("m.hang", 599)]),
        Step(f"{name} dropped before the head", lambda c: ask(c, "m.drop"), [failed("m.drop", 599)]),
        Step(f"{name} raw", raw, [seen_as("m")]),
        Step(f"{name} streaming, parsed", lambda c: streaming(c, lambda r: r.parse()), [seen_as("m")]),
    ]


async def _helped(place: Any, model: str, how: str) -> Any:
    manager = place.stream(**asking(model))
    if hasattr(manager, "__aenter__"):
        async with manager as stream:
            if how == "text":
                return await drain(stream.text_stream)
            if how == "left":
                return await drain(stream, lambda _: True)
            return await stream.get_final_message()
    with manager as stream:
        if how == "text":
            return await drain(stream.text_stream)
        return await drain(stream, lambda _: True) if how == "left" else stream.get_final_message()


async def _results(place: Any) -> Any:
    return await drain(await got(place.batches.results("batch_1")))


LINE = {"provider": "other", "model": "served-m", "request_id": "msg-N", **BEGUN, "output_tokens": 6, "status": 200, "rate_limit": None}
BATCH = [
    {**LINE, "stop_reason": "stop", "tool_calls": 0},
    {**LINE, "stop_reason": "tool_calls", "tool_calls": 2},
    {"model": None, "request_id": None, **NONE, "stop_reason": "error", "tool_calls": 0, "status": 200},
]


async def _counted(c: Any) -> Any:
    return await got(c.messages.count_tokens(model="m", messages=[]))


def steps() -> List[Step]:
    made = on("messages", lambda c: c.messages) + on("beta", lambda c: c.beta.messages)
    bodies = Calls(
        lambda c: c.messages, asking, {"stream": True}, "", seen_as, BEGUN,
        {**NONE, "request_id": "req_second", "stop_reason": "other", "status": 200, "rate_limit": LIMITS},
    )  # fmt: skip
    return made + body_steps(bodies) + [
        Step("stream helper", lambda c: _helped(c.messages, "m", "final"), [seen_as("m")]),
        Step("stream helper, tools", lambda c: _helped(c.messages, "m.tools", "final"), [seen_as("m.tools", stop_reason="tool_calls", tool_calls=2)]),
        Step("stream helper, text", lambda c: _helped(c.messages, "m", "text"), [seen_as("m")]),
        Step("stream helper, left", lambda c: _helped(c.messages, "m", "left"), [seen_as("m", **BEGUN, stop_reason="other")]),
        Step("stream helper, refused", lambda c: _helped(c.messages, "m.status-429", "final"), [failed("m.status-429", 429)]),
        Step("beta stream helper", lambda c: _helped(c.beta.messages, "m", "final"), [seen_as("m")]),
        Step("batch results", lambda c: _results(c.messages), BATCH, unheard=True),
        Step("beta batch results", lambda c: _results(c.beta.messages), BATCH, unheard=True),
        Step("token counts give no event", _counted),
        Step("children of with_options", lambda c: c.with_options(timeout=5).messages.create(**asking("m")), [seen_as("m")]),
    ]  # fmt: skip



Sync = cases(Script("Anthropic", lambda url: anthropic.Anthropic(api_key="CANARY-key", base_url=url, max_retries=0), steps()))
Async = cases(Script("AsyncAnthropic", lambda url: anthropic.AsyncAnthropic(api_key="CANARY-key", base_url=url, max_retries=0), steps()))
del cases
