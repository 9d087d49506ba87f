"""The `mistralai` SDK, bare and observed. Spec: Tap client wrapper 1 and 2; rules 27, 28, 30b."""

from __future__ import annotations

import functools
import importlib
import unittest
from typing import Any, List

try:
    try:
        from mistralai.client import Mistral
    except ImportError:
        from mistralai import Mistral  # the majors before the second
except ImportError as missing:
    raise unittest.SkipTest("mistralai is not installed") from missing

from .chat_steps import LIMITS
from .compare import NONE, Expected, Script, Step, cases, drain, got


def _model_once() -> None:
    """
    This SDK makes a pydantic model for each body that it reads or writes, most of its processor time; here it makes one for each type. The tap
    sees neither.
    """
    serializers = importlib.import_module(Mistral.__module__.rsplit(".", 1)[0] + ".utils.serializers")
    make = serializers.create_model
    made = functools.lru_cache(maxsize=None)(lambda name, kind, config: make(name, body=(kind, ...), __config__=dict(config)))

    def create_model(name: str, *, body: Any, __config__: Any) -> Any:
        try:
            return made(name, body[0], tuple(sorted(__config__.items())))
        except TypeError:  # a type that cannot be a key
            return make(name, body=body, __config__=__config__)

    serializers.create_model = create_model


_model_once()


def seen_as(model: str, **other: Any) -> Expected:
    return {
        "provider": "other", "model": f"served-{model}", "request_id": "chatcmpl-N", "input_tokens": 11, "output_tokens": 7,
        "cached_tokens": 4, "stop_reason": "stop", "tool_calls": 0, "status": 200, **other,
    }  # fmt: skip


def failed(model: str, status: int) -> Expected:
    headed = status != 599
    return {
        "model": model, **NONE, "stop_reason": "error", "tool_calls": 0, "status": status,
        "request_id": "req_first" if headed else None, "rate_limit": LIMITS if headed else None,
    }  # fmt: skip


SILENT_MS = 500
"""For an answer that does not come. Mistral includes the time to connect, which can be long on a busy machine."""
SPOKEN = [{"role": "user", "content": "CANARY-prompt"}]
ENDINGS = (("m", {}), ("m.tools", {"stop_reason": "tool_calls", "tool_calls": 2}), ("m.length", {"stop_reason": "length"}))


def steps(end: str) -> List[Step]:
    """`end` is the suffix of the methods' names: empty, or that of the asynchronous ones."""

    def ask(c: Any, model: str, **more: Any) -> Any:
        return getattr(c.chat, f"complete{end}")(model=model, messages=SPOKEN, **more)

    def agent(c: Any, model: str) -> Any:
        return getattr(c.agents, f"complete{end}")(agent_id=model, messages=SPOKEN)

    def fim(c: Any, model: str) -> Any:
        return getattr(c.fim, f"complete{end}")(model=model, prompt="CANARY-prompt")

    async def streamed(c: Any, model: str, last: Any = lambda _: False) -> Any:
        stream = await got(getattr(c.chat, f"stream{end}")(model=model, messages=SPOKEN))
        return [type(stream).__name__, await drain(stream, last)]

    async def within(c: Any) -> Any:
        stream = await got(getattr(c.chat, f"stream{end}")(model="m", messages=SPOKEN))
        if hasattr(stream, "__aenter__"):
            async with stream as one:
                return await drain(one)
        with stream as one:
            return await drain(one)

    made: List[Step] = []
    for model, other in ENDINGS:
        seen = [seen_as(model, **other)]
        made.append(Step(f"chat {model}", lambda c, model=model: ask(c, model), seen))
        made.append(Step(f"chat {model} streamed", lambda c, model=model: streamed(c, model), seen))
        made.append(Step(f"agents {model}", lambda c, model=model: agent(c, model), seen))
        made.append(Step(f"fim {model}", lambda c, model=model: fim(c, model), seen))
    for status in (400, 401, 429, 500):
        model = f"m.status-{status}"
        made.append(Step(f"answered by {status}", lambda c, model=model: ask(c, model), [failed(model, status)]))
        made.append(Step(f"answered by {status} streamed", lambda c, model=model: streamed(c, model), [failed(model, status)]))
    begun = {**NONE, "request_id": "chatcmpl-N", "stop_reason": "other"}
    return made + [
        Step("left at the first event", lambda c: streamed(c, "m", lambda _: True), [seen_as("m", **begun)]),
        Step("within", within, [seen_as("m")]),
        Step("cut by the provider", lambda c: streamed(c, "m.cut"), [seen_as("m.cut", **{**begun, "stop_reason": "error"})]),
        Step("dropped before the head", lambda c: ask(c, "m.drop"), [failed("m.drop", 599)]),
        Step("timed out", lambda c: ask(c, "m.hang", timeout_ms=SILENT_MS), [failed("m.hang", 599)]),
        Step("what the SDK itself refuses was no call", lambda c: ask(c, 7)),
        Step("embeddings", lambda c: getattr(c.embeddings, f"create{end}")(model="m", inputs=["CANARY-prompt"]),
             [{"model": "served-m", "request_id": "emb-N", **NONE, "input_tokens": 5, "stop_reason": "stop", "status": 200}]),
        Step("embeddings refused", lambda c: getattr(c.embeddings, f"create{end}")(model="m.status-400", inputs=["CANARY-prompt"]),
             [failed("m.status-400", 400)]),
        Step("model lists give no event", lambda c: getattr(c.models, f"list{end}")()),
    ]  # fmt: skip


def _client(url: str) -> Any:
    return Mistral(api_key="CANARY-key", server_url=url)


Sync = cases(Script("Mistral", _client, steps("")))
Async = cases(Script("MistralAsync", _client, steps("_async")))
del cases
