"""
Observes the calls of a client, in place: the host keeps using the same object, and each provider call passes one `Figures` to the sink
when it ends. Spec: Tap client wrapper; rules 27, 28 and 30b.
"""

from __future__ import annotations

from typing import Any, List

from ..figures import Sink
from ..identity_map import IdentityMap
from ..runtime import quietly
from .call import Hold
from .litellm_module import is_litellm, observe_litellm
from .method_client import observe_methods
from .model_object import clients_held_by
from .stainless_client import observe_stainless

_holds: IdentityMap[Hold] = IdentityMap()
_MOCKS = "unittest.mock"


def observe(client: Any, sink: Sink) -> bool:
    """
    Observes the client: one of the OpenAI, Anthropic, Groq, Google or Mistral SDKs, a model of LangChain or LlamaIndex that holds such a
    client, the module `litellm`, or any object with methods of the same names. A second call on the same object only changes the sink, for
    it and for everything derived from it (`with_options`). False if nothing was recognised, or the object cannot be changed.
    """
    return bool(quietly(_observe, client, sink))


def _observe(client: Any, sink: Sink) -> bool:
    held = _holds.get(client)
    if held is not None:
        held.sink = sink
        return True
    if type(client).__module__ == _MOCKS:  # a mock has every method, and makes no call
        return False
    hold = Hold(client, sink)

    def observe_derived(derived: Any) -> bool:
        if _holds.get(derived) is not None:
            return True
        return _observe(derived, lambda seen: hold.sink(seen))

    if is_litellm(client):
        observed = observe_litellm(hold)
    else:
        observed = observe_stainless(hold, observe_derived)
        if not observed:
            found: List[bool] = [observe_derived(each) for each in clients_held_by(client)]
            observed = any(found) or (not found and observe_methods(hold))
    if observed:
        _holds.set(client, hold)
    return observed
