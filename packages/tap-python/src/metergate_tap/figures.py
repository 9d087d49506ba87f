"""
One observed call, as the observers pass it to the reporter: plain figures, never content, each under the name of its field in the
event. Figures are as the client reported them; `event.py` decides whether they make a valid event.
"""

from __future__ import annotations

from typing import Callable, Dict, Optional


class Figures:
    """What an observer saw of one provider call."""

    __slots__ = (
        "provider", "model", "request_id", "input_tokens", "output_tokens", "cached_tokens",
        "stop_reason", "tool_calls", "status", "latency_ms", "rate_limit",
    )  # fmt: skip

    def __init__(self, provider: str = "other", model: Optional[str] = None) -> None:
        self.provider = provider
        self.model = model
        """The model the provider says it served, else the requested one; None if neither is known."""
        self.request_id: Optional[str] = None
        self.input_tokens = 0
        self.output_tokens = 0
        self.cached_tokens = 0
        self.stop_reason = "other"
        self.tool_calls = 0
        self.status = 200
        """The provider's HTTP status; 200 if the client returned without one, 599 if no response came."""
        self.latency_ms = 0.0
        self.rate_limit: Optional[Dict[str, Optional[int]]] = None
        """None if the client does not show the headers; a figure in it is None if its header is not a number."""


Sink = Callable[[Figures], None]
"""Takes a seen call; never raises, never blocks."""
