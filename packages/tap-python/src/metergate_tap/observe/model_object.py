"""
The provider clients that a framework's model object holds: models of LangChain and LlamaIndex hold one for each way of calling, or one of its
resources. A model that holds no client of a known kind, or makes another client for each call, cannot be observed.
"""

from __future__ import annotations

from typing import Any, List

from ..runtime import quietly
from .stainless_client import is_stainless

_FRAMEWORKS = ("langchain", "llama_index")
_BOUND = "bound"
"""A model with tools or settings bound to it (LangChain)."""
_NAMES = "root_client root_async_client client async_client _client _async_client _aclient sync_client"
_MAKERS = "_get_client _get_aclient"
"""LlamaIndex: a model makes its clients on first use, and keeps them."""


def clients_held_by(model: Any) -> List[Any]:
    """The clients, each once; none if the object is not a framework's model or holds no known client."""
    found: List[Any] = []
    if not any(kind.__module__.split(".")[0].startswith(_FRAMEWORKS) for kind in type(model).__mro__):
        return found
    bound = quietly(getattr, model, _BOUND)
    if bound is not None:
        return clients_held_by(bound)
    for name in _MAKERS.split(" "):
        made, again = (quietly(lambda name=name: getattr(model, name)()) for _ in range(2))
        if made is not again:  # a new one for each call (`reuse_client=False`), so there is none to observe
            return []
        _add(found, made)
    for name in _NAMES.split(" "):
        held = quietly(getattr, model, name)
        _add(found, held)
        _add(found, quietly(getattr, held, "_client"))  # a resource's
    return found


def _add(found: List[Any], client: Any) -> None:
    known = client is not None and (is_stainless(client) or _is_known(client))
    if known and not any(client is one for one in found):
        found.append(client)


def _is_known(client: Any) -> bool:
    """A client of Google's or Mistral's."""
    module = type(client).__module__
    return type(client).__name__ in ("Client", "Mistral") and module.startswith(("google.genai", "mistralai"))
