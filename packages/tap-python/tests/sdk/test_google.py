"""The `google-genai` SDK, bare and observed. Spec: Tap client wrapper 1 and 2; rules 27, 28, 30b."""

from __future__ import annotations

import logging
import unittest
from typing import Any, List

try:
    from google import genai
except ImportError as missing:
    raise unittest.SkipTest("google-genai is not installed") from missing

# A warning that the first client of a process gives once.
logging.getLogger("google_genai").setLevel(logging.ERROR)

from .compare import NONE, Expected, Script, Step, cases, drain, got


def seen_as(model: str, **other: Any) -> Expected:
    return {
        "provider": "other", "model": f"served-{model}", "request_id": "gem-N", "input_tokens": 8, "output_tokens": 7, "cached_tokens": 1,
        "stop_reason": "stop", "tool_calls": 0, "status": 200, "rate_limit": None, **other,
    }  # fmt: skip


def failed(model: str, status: int) -> Expected:
    return {"model": model, "request_id": None, **NONE, "stop_reason": "error", "tool_calls": 0, "status": status, "rate_limit": None}


OLDEST = genai.__version__.startswith("1.")
"""It does not call the model again when it streams."""
BEGUN = {"input_tokens": 8, "output_tokens": 0, "cached_tokens": 0}
ENDINGS = (
    ("m", {}),
    ("m.tools", {"stop_reason": "tool_calls", "tool_calls": 2}),
    ("m.length", {"stop_reason": "length"}),
    ("m.filter", {"stop_reason": "content_filter"}),
)


def look(where: str = "") -> str:
    """Looks."""
    return f"CANARY-seen {where}"


def steps(side: Any) -> List[Step]:
    """`side` gives the half of the client that is used: the client itself, or its asynchronous half."""

    def ask(c: Any, model: str, **more: Any) -> Any:
        return side(c).models.generate_content(model=model, contents="CANARY-prompt", **more)

    async def streamed(c: Any, model: str, last: Any = lambda _: False, **more: Any) -> Any:
        return await drain(await got(side(c).models.generate_content_stream(model=model, contents="CANARY-prompt", **more)), last)

    async def shape(c: Any) -> Any:
        stream = await got(side(c).models.generate_content_stream(model="m", contents="CANARY-prompt"))
        return [type(stream).__name__, len(await drain(stream))]

    async def talked(c: Any, model: str) -> Any:
        return await got(side(c).chats.create(model=model).send_message("CANARY-prompt"))

    async def talked_streamed(c: Any, model: str) -> Any:
        return await drain(await got(side(c).chats.create(model=model).send_message_stream("CANARY-prompt")))

    made: List[Step] = []
    for model, other in ENDINGS:
        seen = [seen_as(model, **other)]
        made.append(Step(f"generate_content {model}", lambda c, model=model: ask(c, model), seen))
        made.append(Step(f"generate_content_stream {model}", lambda c, model=model: streamed(c, model), seen))
        made.append(Step(f"chat {model}", lambda c, model=model: talked(c, model), seen))
        made.append(Step(f"chat {model} streamed", lambda c, model=model: talked_streamed(c, model), seen))
    for status in (400, 401, 429, 500):
        model = f"m.status-{status}"
        made.append(Step(f"answered by {status}", lambda c, model=model: ask(c, model), [failed(model, status)]))
        made.append(Step(f"answered by {status} streamed", lambda c, model=model: streamed(c, model), [failed(model, status)]))
    called = {"config": {"tools": [look]}}
    tools = [seen_as("m.tools", stop_reason="tool_calls", tool_calls=2), seen_as("m.tools")]
    return made + [
        Step("stream left at the first part", lambda c: streamed(c, "m", lambda _: True), [seen_as("m", **BEGUN, stop_reason="other")]),
        Step("the stream itself", shape, [seen_as("m")]),
        Step("dropped before the head", lambda c: ask(c, "m.drop"), [failed("m.drop", 599)]),
        Step("automatic function calling: an event for each call", lambda c: ask(c, "m.tools", **called), tools),
        Step("automatic function calling, streamed", lambda c: streamed(c, "m.tools", **called), tools[: 1 if OLDEST else 2]),
        Step("embed_content", lambda c: side(c).models.embed_content(model="m.embedding", contents=["CANARY-prompt"]),
             [{"model": "m.embedding", "request_id": None, **NONE, "stop_reason": "stop", "status": 200}]),
        Step("embed_content refused", lambda c: side(c).models.embed_content(model="m.status-400", contents=["CANARY-prompt"]), [failed("m.status-400", 400)]),
        Step("the HTTP response alone", lambda c: ask(c, "m", config={"should_return_http_response": True}), [seen_as("m")]),
        Step("token counts give no event", lambda c: side(c).models.count_tokens(model="m", contents="CANARY-prompt")),
    ]  # fmt: skip


def _client(url: str) -> Any:
    return genai.Client(api_key="CANARY-key", http_options={"base_url": url})


Sync = cases(Script("GoogleGenai", _client, steps(lambda c: c)))
Async = cases(Script("GoogleGenaiAio", _client, steps(lambda c: c.aio)))
del cases
