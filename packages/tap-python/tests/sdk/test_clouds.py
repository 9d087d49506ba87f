"""Anthropic's clients of Amazon Bedrock and Google Vertex AI, over a transport in this process. Spec: Tap client wrapper 1; design 3, row 30b."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
import unittest
from typing import Any, List

if any(importlib.util.find_spec(name) is None for name in ("anthropic", "boto3", "google")) or not importlib.util.find_spec("google.auth"):
    raise unittest.SkipTest("anthropic with its extras for Bedrock and Vertex is not installed")

import anthropic

from metergate_tap.event import event_json
from metergate_tap.figures import Figures
from metergate_tap.observe.observe import observe

http: Any = sys.modules.get("httpx2") or sys.modules["httpx"]
ASKED: Any = {"model": "claude-asked", "max_tokens": 5, "messages": [{"role": "user", "content": "CANARY-prompt"}]}
ANSWER = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-served", "stop_reason": "end_turn", "stop_sequence": None,
    "content": [{"type": "text", "text": "CANARY-answer"}], "usage": {"input_tokens": 5, "output_tokens": 2},
}  # fmt: skip
BEDROCK = {"aws_access_key": "CANARY-key", "aws_secret_key": "CANARY-secret", "aws_region": "us-east-1"}
VERTEX = {"region": "us-east5", "project_id": "CANARY-project", "access_token": "CANARY-token"}


class Clouds(unittest.TestCase):
    def check(self, kind: Any, http_client: Any, given: Any) -> None:
        status = 200

        def answer(request: Any) -> Any:
            return http.Response(status, json=ANSWER if status == 200 else {"error": {"message": "CANARY-error"}})

        async def call(client: Any) -> Any:
            made = client.messages.create(**ASKED)
            return await made if asyncio.iscoroutine(made) else made

        seen: List[Figures] = []
        client = kind(http_client=http_client(transport=http.MockTransport(answer)), max_retries=0, **given)
        self.assertTrue(observe(client, seen.append))
        self.assertEqual(asyncio.run(call(client)).id, "msg_1")
        status = 429
        with self.assertRaises(anthropic.RateLimitError):
            asyncio.run(call(client))
        told = [(one.provider, one.model, one.input_tokens, one.output_tokens, one.status, one.stop_reason) for one in seen]
        self.assertEqual(told, [("other", "claude-served", 5, 2, 200, "stop"), ("other", "claude-asked", 0, 0, 429, "error")])
        events = [json.loads(event_json(one, "t", 1.0, lambda: "u") or "null") for one in seen]
        self.assertNotIn("CANARY", json.dumps(events))

    def test_each_call_is_told_once(self) -> None:
        for plain, later, given in (
            (anthropic.AnthropicBedrock, anthropic.AsyncAnthropicBedrock, BEDROCK),
            (anthropic.AnthropicVertex, anthropic.AsyncAnthropicVertex, VERTEX),
        ):
            for kind, http_client in ((plain, anthropic.DefaultHttpxClient), (later, anthropic.DefaultAsyncHttpxClient)):
                with self.subTest(kind.__name__):
                    self.check(kind, http_client, given)


if __name__ == "__main__":
    unittest.main()
