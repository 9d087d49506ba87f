"""
A seen call → the JSON of its tap event, or nothing (spec, Tap event; rules 27 and 30b).
An event the server would refuse is None here, so it is never queued, sent or printed. Pure: time and ids are passed in.
"""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, Optional, Pattern, Tuple, Union

from .figures import Figures
from .runtime import native, timestamp

Rule = Union["Pattern[str]", Tuple[int, int]]
"""A pattern for text, or the smallest and the largest whole number."""

TAG_RULE: Rule = re.compile(r"[A-Za-z0-9._:-]{1,64}")
FIGURE_RULE: Rule = (0, 1_000_000_000)
"""The largest figures of tokens and of rate limits that an event can hold."""
_ID: Rule = re.compile(r"[A-Za-z0-9._:-]{1,128}")

_RULES: Dict[str, Rule] = {
    "provider": TAG_RULE,
    "model": re.compile(r"[A-Za-z0-9._:/-]{1,128}"),
    "request_id": _ID,
    "input_tokens": FIGURE_RULE,
    "output_tokens": FIGURE_RULE,
    "cached_tokens": FIGURE_RULE,
    "stop_reason": TAG_RULE,
    "tool_calls": (0, 10_000),
    "status": (100, 599),
    "retries": FIGURE_RULE,
    "latency_ms": (0, 3_600_000),
}
"""The fields that come from outside, and their rules. Nothing else gets into an event."""


def event_json(seen: Figures, tag: str, wall_s: float, uuid: Callable[[], str]) -> Optional[str]:
    """
    The JSON of a seen call's event; None if a server would refuse it. An id that cannot be sent is replaced by a UUID.
    `tag` fits TAG_RULE; `wall_s` is wall time in seconds since the epoch.
    """
    event: Dict[str, Any] = {"schema": "svc-tap-v1"}
    for field, rule in _RULES.items():
        value = _value_of(seen, field, uuid)
        if not keeps(value, rule):
            return None
        event[field] = value
    event["rate_limit"] = seen.rate_limit
    event["timestamp"] = timestamp(wall_s)
    event["tag"] = tag
    return native.encode_json(event)


def _value_of(seen: Figures, field: str, uuid: Callable[[], str]) -> Any:
    if field == "request_id":
        return seen.request_id if keeps(seen.request_id, _ID) else uuid()
    if field == "retries":  # the observed clients do not show their own
        return 0
    if field == "latency_ms":
        return _whole(seen.latency_ms)
    return getattr(seen, field)


def _whole(value: Any) -> Any:
    return math.floor(value + 0.5) if isinstance(value, (int, float)) and math.isfinite(value) else None


def keeps(value: Any, rule: Rule) -> bool:
    """True for a value that fits the rule."""
    if isinstance(rule, tuple):
        return isinstance(value, int) and not isinstance(value, bool) and rule[0] <= value <= rule[1]
    return isinstance(value, str) and rule.fullmatch(value) is not None
