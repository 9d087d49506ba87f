"""
The provider a client talks to, determined only by the host of its base URL. The client's class says nothing, because `openai` is used with
every compatible API.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from .look import at

_PUBLIC_HOSTS = {
    "openai": "api.openai.com",
    "anthropic": "api.anthropic.com",
    "google": "generativelanguage.googleapis.com",
    "xai": "api.x.ai",
    "mistral": "api.mistral.ai",
}
_HOST = re.compile(r"(?:https?|wss?)://(?:[^/?#@]*@)?([^/?#:]+)", re.IGNORECASE)

_BASE_URL = "base_url _base_url _api_client._http_options.base_url sdk_configuration.server_url config.base_url"


def provider_of(client: Any) -> str:
    """The provider of a client as it is configured now; `other` if the host is none of the five or unknown."""
    url = at(client, _BASE_URL)
    if not url:
        details = at(client, "sdk_configuration.get_server_details")
        url = details()[0] if details else None  # Mistral's: a list of servers, by name
    return provider_of_url(str(url)) if url else "other"


@lru_cache(maxsize=64)
def provider_of_url(url: str) -> str:
    match = _HOST.match(url)
    host = match.group(1).lower() if match else ""
    for provider, public in _PUBLIC_HOSTS.items():
        if f".{host}".endswith(f".{public}"):  # a regional host (`eu.api.openai.com`) belongs to its provider
            return provider
    return "other"
