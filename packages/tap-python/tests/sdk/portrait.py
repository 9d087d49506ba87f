"""
All that a host can see of a value without changing it: kinds, fields, content, and of errors what programs branch on. Two runs of one
script are compared by these portraits.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Any

_STEADY = (
    (re.compile(r"\b(chatcmpl|cmpl|resp|emb|msg|gem)-\d+"), r"\1-N"),
    (re.compile(r"127\.0\.0\.1:\d+"), "HOST"),
    (re.compile(r"0x[0-9a-f]{6,}"), "0xN"),
    (re.compile(r"(?i)((?<![a-z])date'?:? ?'?)[A-Z][a-z]{2}, [^'\"]* GMT"), r"\1DATE"),
)
_SKIPPED = {"_client", "client", "_iterator", "generator", "response", "request", "http_response", "raw_response", "_decoder", "_raw_stream"}
_DERIVED = ("status_code", "code", "body", "message", "request_id", "_request_id", "args", "param", "type", "status")


def portrait(value: Any) -> str:
    """A text that is equal for values a host cannot tell apart."""
    text = _draw(value, 0)
    for pattern, steady in _STEADY:
        text = pattern.sub(steady, text)
    return text


def _draw(value: Any, depth: int) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, (str, int, float, bytes, bool)):
        return repr(value)
    if hasattr(value, "status_code") and hasattr(value, "iter_bytes"):
        return f"{type(value).__name__} {value.status_code}"
    if depth > 7 or isinstance(value, type):
        return _classes(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_draw(k, depth)}:{_draw(v, depth + 1)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple, set)):
        return type(value).__name__ + "[" + ",".join(_draw(each, depth + 1) for each in value) + "]"
    shown = {name: each for name, each in _fields(value).items() if name not in _SKIPPED}
    if isinstance(value, BaseException):
        shown = {name: getattr(value, name, "(none)") for name in _DERIVED}
        shown["cause"] = value.__cause__
        shown["str"] = str(value)
    return _classes(value) + _draw(shown, depth + 1)


def _fields(value: Any) -> Any:
    return {**getattr(value, "__dict__", {}), **(getattr(value, "__pydantic_extra__", None) or {})}


def _classes(value: Any) -> str:
    kind = value if isinstance(value, type) else type(value)
    return "<".join(each.__name__ for each in kind.__mro__)
