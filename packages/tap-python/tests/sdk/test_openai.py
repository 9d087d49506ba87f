"""The `openai` SDK, bare and observed. Spec: Tap client wrapper 1 and 2; rules 27, 28, 30b."""

from __future__ import annotations

import unittest
from typing import Any, List

try:
    import openai
except ImportError as missing:
    raise unittest.SkipTest("openai is not installed") from missing

from pydantic import BaseModel

from .chat_steps import LIMITS, SPOKEN, chat, chat_seen, chat_steps, failed
from .compare import NONE, Expected, Script, Step, cases, drain, got


class Answer(BaseModel):
    a: int


def responses_seen(model: str, **other: Any) -> Expected:
    return {
        "model": f"served-{model}", "request_id": "resp-N", "input_tokens": 20, "output_tokens": 9, "cached_tokens": 5,
        "stop_reason": "stop", "tool_calls": 0, "status": 200, "rate_limit": LIMITS, **other,
    }  # fmt: skip


async def _responses(c: Any, model: str) -> Any:
    return await drain(await got(c.responses.create(model=model, input="CANARY-prompt", stream=True)))


async def _parsed(c: Any, model: str = "m") -> Any:
    place = c.chat.completions if hasattr(c.chat.completions, "parse") else c.beta.chat.completions
    return await got(place.parse(model=model, messages=SPOKEN, response_format=Answer))


async def _helped(c: Any, model: str = "m", last: Any = lambda _: False) -> Any:
    place = c.chat.completions if hasattr(c.chat.completions, "stream") else c.beta.chat.completions
    manager = place.stream(model=model, messages=SPOKEN, stream_options={"include_usage": True})
    if hasattr(manager, "__aenter__"):
        async with manager as stream:
            return [event.type for event in await drain(stream, last)]
    with manager as stream:
        return [event.type for event in await drain(stream, last)]


async def _responses_helped(c: Any) -> Any:
    manager = c.responses.stream(model="m", input="CANARY-prompt")
    if hasattr(manager, "__aenter__"):
        async with manager as stream:
            await drain(stream)
            return await stream.get_final_response()
    with manager as stream:
        await drain(stream)
        return stream.get_final_response()


def steps() -> List[Step]:
    made = chat_steps()
    for model, other in (("m", {}), ("m.tools", {"stop_reason": "tool_calls", "tool_calls": 1}),
                         ("m.length", {"stop_reason": "length"}), ("m.failing", {"stop_reason": "error"})):  # fmt: skip
        seen = [responses_seen(model, **other)]
        made.append(Step(f"responses {model}", lambda c, model=model: c.responses.create(model=model, input="CANARY-prompt"), seen))
        made.append(Step(f"responses {model} streamed", lambda c, model=model: _responses(c, model), seen))
    embedded = {"model": "served-m", "request_id": "req_first", **NONE, "input_tokens": 5, "stop_reason": "stop", "status": 200}
    return made + [
        Step("parse", _parsed, [chat_seen("m")]),
        Step("parse of an answer cut for length raises", lambda c: _parsed(c, "m.length"), [chat_seen("m.length", stop_reason="length")]),
        Step("stream helper", _helped, [chat_seen("m")]),
        Step("stream helper with tools", lambda c: _helped(c, "m.tools"), [chat_seen("m.tools", stop_reason="tool_calls", tool_calls=2)]),
        Step("stream helper left", lambda c: _helped(c, "m", lambda _: True), [chat_seen("m", **NONE, stop_reason="other")]),
        Step("stream helper refused", lambda c: _helped(c, "m.status-429"), [failed("m.status-429", 429)]),
        Step("responses stream helper", _responses_helped, [responses_seen("m")]),
        Step("responses refused", lambda c: c.responses.create(model="m.status-401", input="CANARY-prompt"), [failed("m.status-401", 401)]),
        Step("embeddings", lambda c: c.embeddings.create(model="m", input="CANARY-prompt"), [embedded]),
        Step("embeddings as floats", lambda c: c.embeddings.create(model="m", input="CANARY-prompt", encoding_format="float"), [embedded]),
        Step("embeddings refused", lambda c: c.embeddings.create(model="m.status-400", input="CANARY-prompt"), [failed("m.status-400", 400)]),
        Step("completions", lambda c: c.completions.create(model="m", prompt="CANARY-prompt"),
             [{"model": "served-m", "request_id": "cmpl-N", "input_tokens": 3, "output_tokens": 2, "stop_reason": "stop"}]),
        Step("post by the host itself", lambda c: c.post("/chat/completions", cast_to=object, body={"model": "m", "messages": SPOKEN}),
             [chat_seen("m")]),
    ]  # fmt: skip


def azure(url: str) -> Any:
    return openai.AzureOpenAI(api_key="CANARY-key", api_version="2025-01-01", azure_endpoint=url, max_retries=0)


async def _azure_stream(c: Any) -> Any:
    return await drain(await got(chat(c, "m", stream=True, stream_options={"include_usage": True})))


Sync = cases(Script("OpenAI", lambda url: openai.OpenAI(api_key="CANARY-key", base_url=f"{url}/v1", max_retries=0), steps()))
Async = cases(Script("AsyncOpenAI", lambda url: openai.AsyncOpenAI(api_key="CANARY-key", base_url=f"{url}/v1", max_retries=0), steps()))
Azure = cases(Script("AzureOpenAI", azure, [
    Step("chat", lambda c: chat(c, "m"), [chat_seen("m")]),
    Step("chat streamed", _azure_stream, [chat_seen("m")]),
    Step("embeddings", lambda c: c.embeddings.create(model="m", input="CANARY-prompt"), [{"model": "served-m", "stop_reason": "stop"}]),
]))  # fmt: skip
del cases
