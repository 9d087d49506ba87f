"""LangChain's models, which hold clients of the providers' SDKs: wrapped, each provider call is one event. Design 3, row 28."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any, List

try:
    from langchain_anthropic import ChatAnthropic
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings
except ImportError as missing:
    raise unittest.SkipTest("langchain-openai and langchain-anthropic are not installed") from missing

from metergate_tap.figures import Figures
from metergate_tap.observe.observe import observe

from .provider import Provider, node


class LangChain(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        if node() is None:
            raise unittest.SkipTest("the scripted provider needs Node: run npm ci")
        cls.provider = Provider()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.provider.close()

    def observed(self, model: Any) -> Any:
        seen: List[Figures] = []
        self.assertTrue(observe(model, seen.append))
        return model, seen

    def test_chat_openai(self) -> None:
        def made() -> Any:
            return ChatOpenAI(model="m", api_key="CANARY-key", base_url=f"{self.provider.url}/v1", max_retries=0, stream_usage=True)

        bare = made()
        model, seen = self.observed(made())
        self.assertEqual(model.invoke("CANARY-prompt").content, bare.invoke("CANARY-prompt").content)
        self.assertEqual([part.content for part in model.stream("CANARY-prompt")], [part.content for part in bare.stream("CANARY-prompt")])
        self.assertEqual(asyncio.run(model.ainvoke("CANARY-prompt")).content, bare.invoke("CANARY-prompt").content)
        self.assertEqual(model.bind(temperature=0).invoke("CANARY-prompt").content, bare.invoke("CANARY-prompt").content)
        figures = [(each.model, each.input_tokens, each.output_tokens, each.cached_tokens, each.stop_reason, each.status) for each in seen]
        self.assertEqual(figures, [("served-m", 11, 7, 4, "stop", 200)] * 4)

    def test_a_model_with_something_bound(self) -> None:
        model = ChatOpenAI(model="m", api_key="CANARY-key", base_url=f"{self.provider.url}/v1", max_retries=0)
        bound, seen = self.observed(model.bind(temperature=0))
        bound.invoke("CANARY-prompt")
        self.assertEqual(len(seen), 1)

    def test_chat_anthropic(self) -> None:
        def made() -> Any:
            return ChatAnthropic(model="m", api_key="CANARY-key", base_url=self.provider.url, max_retries=0, max_tokens=9)

        bare = made()
        model, seen = self.observed(made())
        self.assertEqual(model.invoke("CANARY-prompt").content, bare.invoke("CANARY-prompt").content)
        self.assertEqual([part.content for part in model.stream("CANARY-prompt")], [part.content for part in bare.stream("CANARY-prompt")])
        self.assertEqual(asyncio.run(model.ainvoke("CANARY-prompt")).content, bare.invoke("CANARY-prompt").content)
        self.assertEqual([(each.model, each.input_tokens, each.output_tokens) for each in seen], [("served-m", 10, 6)] * 3)

    def test_embeddings(self) -> None:
        model = OpenAIEmbeddings(model="m", api_key="CANARY-key", base_url=f"{self.provider.url}/v1", max_retries=0, check_embedding_ctx_length=False)
        model, seen = self.observed(model)
        self.assertEqual(len(model.embed_query("CANARY-prompt")), 2)
        self.assertEqual([(each.input_tokens, each.stop_reason) for each in seen], [(5, "stop")])


if __name__ == "__main__":
    unittest.main()
