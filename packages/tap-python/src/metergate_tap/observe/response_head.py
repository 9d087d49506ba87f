"""
The head of a provider's response, or the SDK's error made from it → status, request id, rate limits.
Headers come as a mapping or, if the SDK does not show them, not at all.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Optional

from ..event import FIGURE_RULE, keeps
from ..figures import Figures
from .look import at

_NUMBER = re.compile(r"\s*[0-9]+\s*")


def read_head(holder: Any, figures: Figures) -> None:
    """
    Reads the head into the figures of its call; a figure that the head does not contain keeps its value. The rate limits are None if there is
    no such header, and one of them is None if its header is not a number that an event can hold.
    """
    status = at(holder, "status_code status code response.status_code response.status", _is_status)
    if status is not None:
        figures.status = int(status)
    headers = at(holder, "headers response.headers raw_response.headers")
    if headers is None or not hasattr(headers, "get"):
        return
    if figures.request_id is None:
        figures.request_id = headers.get("x-request-id") or headers.get("request-id")
    limits: Dict[str, Optional[int]] = {}
    told = False
    for what in ("requests", "tokens"):
        for which in ("limit", "remaining"):
            text = headers.get(f"x-ratelimit-{which}-{what}") or headers.get(f"anthropic-ratelimit-{what}-{which}")
            told = told or text is not None
            value = int(text) if isinstance(text, str) and _NUMBER.fullmatch(text) else None
            limits[f"{what}_{which}"] = value if keeps(value, FIGURE_RULE) else None
    if told:
        figures.rate_limit = limits


def _is_status(found: Any) -> bool:
    return isinstance(found, int) and not isinstance(found, bool) and 100 <= found <= 599
