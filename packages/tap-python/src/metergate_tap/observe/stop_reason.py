"""The words by which providers and SDKs say why an answer ended → the six words of the tap event."""

from __future__ import annotations

import re

_REASONS = {
    "stop": r"stop|end_turn|stop_sequence|completed",
    "length": r"length|max(_output)?_tokens|model_(length|context_window_exceeded)",
    "tool_calls": r"tool_(calls|use)|function_call",
    "content_filter": r"content_filter|refusal|(image_)?(safety|recitation|prohibited_content)|blocklist|spii",
    "error": r"error|failed",
}
_WORDS = {reason: re.compile(words) for reason, words in _REASONS.items()}


def stop_reason_of(word: str) -> str:
    """The event's word; upper case and hyphens (`MAX_TOKENS`, `tool-calls`) are read alike, an unknown word is `other`."""
    alike = word.lower().replace("-", "_")
    for reason, words in _WORDS.items():
        if words.fullmatch(alike):
            return reason
    return "other"
