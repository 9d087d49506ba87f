"""Anthropic's clients of Amazon Bedrock and Google Vertex AI, over a transport in this process. Spec: Tap client wrapper 1; rule 30b."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import io
import sys
import time
import unittest
from typing import Any, List

if any(importlib.util.find_spec(name) is None for name in ("anthropic", "boto3", "google")) or not importlib.util.find_spec("google.auth"):
    raise unittest.SkipTest("anthropic with its extras for Bedrock and Vertex is not installed")

import anthropic

from metergate_tap import tap

from ..host import Ingestion

http: Any = sys.modules.get("httpx2") or sys.modules["httpx"]
ASKED: Any = {"model": "claude-asked", "max_tokens": 5, "messages": [{"role": "user", "content": "CANARY-prompt"}]}
ANSWER = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-served", "stop_reason": "end_turn", "stop_sequence": None,
    "content": [{"type": "text", "text": "CANARY-answer"}], "usage": {"input_tokens": 5, "output_tokens": 2},
}  # fmt: skip
BEDROCK = {"aws_access_key": "CANARY-key", "aws_secret_key": "CANARY-secret", "aws_region": "us-east-1"}
VERTEX = {"region": "us-east5", "project_id": "CANARY-project", "access_token": "CANARY-token"}


class Clouds(unittest.TestCase):
    def calls(self, client: Any, status: List[int]) -> None:
        async def call() -> Any:
            made = client.messages.create(**ASKED)
            return await made if asyncio.iscoroutine(made) else made

        self.assertEqual(asyncio.run(call()).id, "msg_1")
        status[0] = 429
        with self.assertRaises(anthropic.RateLimitError):
            asyncio.run(call())

    def test_each_call_is_told_once_and_no_word_of_it_is_posted_or_printed(self) -> None:
        kinds = [
            (each, http_client, given)
            for plain, later, given in (
                (anthropic.AnthropicBedrock, anthropic.AsyncAnthropicBedrock, BEDROCK),
                (anthropic.AnthropicVertex, anthropic.AsyncAnthropicVertex, VERTEX),
            )
            for each, http_client in ((plain, anthropic.DefaultHttpxClient), (later, anthropic.DefaultAsyncHttpxClient))
        ]
        printed = io.StringIO()
        with Ingestion() as endpoint, contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            for kind, http_client, given in kinds:
                status = [200]

                def answer(request: Any, status: List[int] = status) -> Any:
                    return http.Response(status[0], json=ANSWER if status[0] == 200 else {"error": {"message": "CANARY-error"}})

                client = kind(http_client=http_client(transport=http.MockTransport(answer)), max_retries=0, **given)
                self.calls(tap(client, kind.__name__, key="CANARY-tap-key", endpoint=endpoint.url), status)
            until = time.monotonic() + 10
            while len(endpoint.events()) < 2 * len(kinds) and time.monotonic() < until:
                time.sleep(0.02)
        names = ("tag", "provider", "model", "input_tokens", "output_tokens", "status", "stop_reason")
        told = [tuple(event[name] for name in names) for event in endpoint.events()]
        expected = [
            (kind.__name__, *rest)
            for kind, *_ in kinds
            for rest in (("other", "claude-served", 5, 2, 200, "stop"), ("other", "claude-asked", 0, 0, 429, "error"))
        ]
        self.assertEqual(told, expected)
        self.assertNotIn("CANARY", printed.getvalue() + endpoint.text())


if __name__ == "__main__":
    unittest.main()
