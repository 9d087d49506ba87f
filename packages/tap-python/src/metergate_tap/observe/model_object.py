"""
The provider clients that a model object of a framework holds: LangChain's and LlamaIndex' models hold one for each way of calling, or a
resource of it. Whoever holds none of the kinds that are observed, or makes another client for each call, has nothing to tell.
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
"""LlamaIndex: a model makes its clients when they are first asked for, and keeps them."""


def clients_held_by(model: Any) -> List[Any]:
    """The clients, each once; none where the object is no model of a framework or holds none that is known."""
    found: List[Any] = []
    if not any(kind.__module__.split(".")[0].startswith(_FRAMEWORKS) for kind in type(model).__mro__):
        return found
    bound = quietly(getattr, model, _BOUND)
    if bound is not None:
        return clients_held_by(bound)
    for name in _MAKERS.split(" "):
        made, again = (quietly(lambda name=name: getattr(model, name)()) for _ in range(2))
        if made is not again:  # one for each call (`reuse_client=False`): none of them is there to be observed
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
