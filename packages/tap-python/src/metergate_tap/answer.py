"""An answer of the ingestion endpoint, as the reporter needs it, and when a batch may be posted again."""

from __future__ import annotations

from typing import NamedTuple


class Answer(NamedTuple):
    """What came back for one post."""

    status: int
    """The HTTP status; 0 if no answer came: no connection, no name, bad TLS, too slow."""
    closed: bool = False
    """True for a 410 whose `error.code` says `baseline_closed`."""


NO_ANSWER = Answer(0)

RETRY_WAITS_MS = (200, 800)
"""The waits between at most three posts (spec, Tap client wrapper 4)."""


def is_retried(status: int) -> bool:
    """Only after these statuses is a batch posted again (rule 29)."""
    return status in (0, 408, 429) or status >= 500
