"""
Observes LiteLLM by its own callbacks: every call of the module, of its router and of what is built on it gives one event. The figures are
those that LiteLLM computes from the provider's: its usage counts cached tokens as part of the input tokens.
"""

from __future__ import annotations

import types
from typing import Any, Dict, Optional

from ..figures import Figures
from ..runtime import quietly
from .call import Hold
from .look import at, own, text_in
from .provider import provider_of_url
from .reading import Reading
from .response_head import read_head

_PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "gemini": "google", "xai": "xai", "mistral": "mistral"}
"""LiteLLM's names of providers that are called at their public hosts, for calls that show no base URL."""
_CALL_TYPES = ("completion", "embedding", "responses", "anthropic_messages", "text_completion")


def is_litellm(client: Any) -> bool:
    return isinstance(client, types.ModuleType) and client.__name__ == "litellm"


def observe_litellm(hold: Hold) -> bool:
    """Adds a callback to the module's list."""
    from litellm.integrations.custom_logger import CustomLogger  # type: ignore[import-not-found,unused-ignore]

    class Tap(CustomLogger):  # type: ignore[misc,unused-ignore]
        """Receives the calls; none of its methods raises."""

        def log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
            quietly(_see, hold, kwargs, response_obj, (start_time, end_time), False)

        async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
            quietly(_see, hold, kwargs, response_obj, (start_time, end_time), False)

        def log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
            quietly(_see, hold, kwargs, response_obj, (start_time, end_time), True)

        async def async_log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
            quietly(_see, hold, kwargs, response_obj, (start_time, end_time), True)

    hold.client.callbacks.append(Tap())
    return True


def _see(hold: Hold, kwargs: Dict[str, Any], response: Any, times: Any, failed: bool) -> None:
    kind = str(kwargs.get("call_type") or "completion")
    if not kind.removeprefix("a").startswith(_CALL_TYPES) and kind not in _CALL_TYPES:
        return
    figures = Figures(_provider(kwargs), text_in(kwargs, "model"))
    figures.latency_ms = (times[1] - times[0]).total_seconds() * 1000
    reading = Reading(figures)
    if failed:
        error = kwargs.get("exception")
        figures.status = 599
        read_head(error, figures)
        figures.stop_reason = "error"
    else:
        read_head(_Headers(response), figures)
        reading.read(response)
        if "embedding" in kind:
            figures.stop_reason = "stop"
    hold.sink(figures)


class _Headers:
    """The provider's headers, as LiteLLM passes them on beside the answer."""

    def __init__(self, response: Any) -> None:
        given: Optional[Dict[str, Any]] = own(at(response, "_hidden_params"), "additional_headers headers")
        self.headers = {name.replace("llm_provider-", ""): text for name, text in (given or {}).items() if isinstance(text, str)}


def _provider(kwargs: Dict[str, Any]) -> str:
    base = text_in(kwargs, "litellm_params.api_base api_base")
    return provider_of_url(base) if base else _PROVIDERS.get(str(own(kwargs, "custom_llm_provider litellm_params.custom_llm_provider")), "other")
