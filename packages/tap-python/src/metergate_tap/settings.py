"""
Options and environment → settings (spec, Tap client wrapper 5 to 7). An option overrides its variable; an empty one counts as not
given, and so does anything of another type: a wrong setting never raises.
"""

from __future__ import annotations

import re
from typing import Callable, NamedTuple, Optional

DEFAULT_ENDPOINT = "http://127.0.0.1:8081/tap/v1/events"

_KEY = re.compile(r"[!-~]+")
# Cases of ASCII alone: else a long s would stand for an s.
_ENDPOINT = re.compile(r"(?ai:https?)://[^\s/?#@]+([/?#]\S*)?")
_ON = re.compile(r"1|true|yes|on", re.IGNORECASE | re.ASCII)


class Settings(NamedTuple):
    """How a client reports."""

    key: Optional[str]
    """None if none is configured, or if it cannot be a header."""
    endpoint: Optional[str]
    """None unless it is an http or https URL without user name and password."""
    inspecting: bool


def settings_of(key: object, endpoint: object, inspect: object, environment: Callable[[str], Optional[str]]) -> Settings:
    """The settings from these options, each None if it was not given, and from the environment."""

    def chosen(option: object, name: str) -> str:
        return _text_of(option) or _text_of(environment(f"SVC_TAP_{name}"))

    chosen_key = chosen(key, "KEY")
    chosen_endpoint = chosen(endpoint, "ENDPOINT") or DEFAULT_ENDPOINT
    return Settings(
        key=chosen_key if _KEY.fullmatch(chosen_key) else None,
        endpoint=chosen_endpoint if _ENDPOINT.fullmatch(chosen_endpoint) else None,
        inspecting=inspect if isinstance(inspect, bool) else _ON.fullmatch(chosen("", "INSPECT")) is not None,
    )


def _text_of(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
