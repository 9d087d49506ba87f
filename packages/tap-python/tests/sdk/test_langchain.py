"""
LangChain's models, which hold clients of the providers' SDKs, and stand-ins for those of LlamaIndex. Once they are wrapped, each provider call
is one event, and no text of it is posted. Rule 28.
"""

from __future__ import annotations

import asyncio
import time
import unittest
from typing import Any, List

try:
    from langchain_anthropic import ChatAnthropic
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings
except ImportError as missing:
    raise unittest.SkipTest("langchain-openai and langchain-anthropic are not installed") from missing

import openai

from metergate_tap import tap
from metergate_tap.figures import Figures
from metergate_tap.observe.observe import observe

from ..host import Ingestion
from .provider import Provider, node


class Models(unittest.TestCase):
    provider: Provider

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


class LangChain(Models):
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

    def test_no_word_of_a_call_is_posted(self) -> None:
        given: Any = {"model": "m", "api_key": "CANARY-key", "max_retries": 0}
        models = (
            ChatOpenAI(base_url=f"{self.provider.url}/v1", **given),
            ChatOpenAI(base_url=f"{self.provider.url}/v1", **{**given, "model": "m.tools"}),
            ChatAnthropic(base_url=self.provider.url, max_tokens=9, **given),
        )
        with Ingestion() as endpoint:
            for model in models:
                tap(model, "chain", key="CANARY-tap-key", endpoint=endpoint.url)
                model.invoke("CANARY-prompt")
                list(model.stream("CANARY-prompt"))
            until = time.monotonic() + 10
            while len(endpoint.events()) < 2 * len(models) and time.monotonic() < until:
                time.sleep(0.02)
        self.assertEqual(len(endpoint.events()), 2 * len(models))
        self.assertNotIn("CANARY", endpoint.text())


class LlamaIndexModel:
    """A model like those of LlamaIndex: it makes its client on first use, and keeps it or not."""

    __module__ = "llama_index.llms.openai"

    def __init__(self, url: str, reuse_client: bool) -> None:
        self._url = url
        self._reuse = reuse_client
        self._client: Any = None

    def _get_client(self) -> Any:
        if self._client is not None and self._reuse:
            return self._client
        made = openai.OpenAI(api_key="CANARY-key", base_url=self._url, max_retries=0)
        self._client = made if self._reuse else None
        return made

    def chat(self) -> Any:
        return self._get_client().chat.completions.create(model="m", messages=[])


class LlamaIndex(Models):
    def test_a_client_that_the_model_keeps_is_observed_whether_it_was_made_before_or_not(self) -> None:
        for used in (False, True):
            model = LlamaIndexModel(f"{self.provider.url}/v1", reuse_client=True)
            if used:
                model.chat()
            _, seen = self.observed(model)
            model.chat()
            self.assertEqual([each.model for each in seen], ["served-m"])

    def test_a_model_that_makes_a_client_for_each_call_holds_none(self) -> None:
        self.assertFalse(observe(LlamaIndexModel(f"{self.provider.url}/v1", reuse_client=False), lambda seen: None))


if __name__ == "__main__":
    unittest.main()
