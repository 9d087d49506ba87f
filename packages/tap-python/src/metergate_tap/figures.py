"""
What passes from the observers of provider clients to the reporter: the plain figures of one call, never content, each by the name of
its field in the event. Figures are as the client showed them; `event.py` decides whether an event can be made of them.
"""

from __future__ import annotations

from typing import Callable, Dict, Optional


class Figures:
    """One provider call as it was seen."""

    __slots__ = (
        "provider", "model", "request_id", "input_tokens", "output_tokens", "cached_tokens",
        "stop_reason", "tool_calls", "status", "latency_ms", "rate_limit",
    )  # fmt: skip

    def __init__(self, provider: str = "other", model: Optional[str] = None) -> None:
        self.provider = provider
        self.model = model
        """The model the provider says it served, else the one that was asked for; None where neither is known."""
        self.request_id: Optional[str] = None
        self.input_tokens = 0
        self.output_tokens = 0
        self.cached_tokens = 0
        self.stop_reason = "other"
        self.tool_calls = 0
        self.status = 200
        """The provider's HTTP status; 200 where the client returned without one, 599 where no response came."""
        self.latency_ms = 0.0
        self.rate_limit: Optional[Dict[str, Optional[int]]] = None
        """None where the client does not show the headers; a figure in it is None where its header is no number."""


Sink = Callable[[Figures], None]
"""Takes a seen call; never raises, never blocks."""
