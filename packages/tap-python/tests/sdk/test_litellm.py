"""LiteLLM, observed by its callback: each call of the module is one event. Rules 27 and 30b."""

from __future__ import annotations

import asyncio
import os
import time
import unittest
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
try:
    import litellm
except ImportError as missing:
    raise unittest.SkipTest("litellm is not installed") from missing

from metergate_tap import tap

from ..host import Ingestion
from .provider import Provider, node


class LiteLlm(unittest.TestCase):
    def test_completions_streams_failures_and_embeddings(self) -> None:
        if node() is None:
            raise unittest.SkipTest("the scripted provider needs Node: run npm ci")
        provider = Provider()
        self.addCleanup(provider.close)
        asked: Any = {
            "messages": [{"role": "user", "content": "CANARY-prompt"}], "api_base": f"{provider.url}/v1", "api_key": "CANARY-key", "max_retries": 0,
        }  # fmt: skip
        streamed: Any = {**asked, "stream": True, "stream_options": {"include_usage": True}}

        async def asynchronous() -> None:
            await litellm.acompletion(model="openai/m", **asked)
            async for _ in await litellm.acompletion(model="openai/m", **streamed):
                pass
            await asyncio.sleep(1)

        with Ingestion() as endpoint:
            tap(litellm, "lite", key="CANARY-tap-key", endpoint=endpoint.url)
            litellm.completion(model="openai/m", **asked)
            list(litellm.completion(model="openai/m", **streamed))
            self.assertRaises(Exception, litellm.completion, model="openai/m.status-401", **asked)
            litellm.embedding(model="openai/m", input=["CANARY-prompt"], api_base=f"{provider.url}/v1", api_key="CANARY-key")
            asyncio.run(asynchronous())
            until = time.monotonic() + 10
            while len(endpoint.events()) < 6 and time.monotonic() < until:
                time.sleep(0.05)
        told = sorted(tuple(event[name] for name in ("input_tokens", "output_tokens", "stop_reason", "status")) for event in endpoint.events())
        self.assertEqual(told, [(0, 0, "error", 401), (5, 0, "stop", 200)] + [(11, 7, "stop", 200)] * 4)
        self.assertEqual(len(told), provider.calls())
        self.assertNotIn("CANARY", endpoint.text())


if __name__ == "__main__":
    unittest.main()
