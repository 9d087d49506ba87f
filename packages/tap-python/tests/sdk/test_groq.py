"""The `groq` SDK, bare and observed; its streams report usage in `x_groq`. Spec: Tap client wrapper 1 and 2; rules 27, 28, 30b."""

from __future__ import annotations

import unittest

try:
    import groq
except ImportError as missing:
    raise unittest.SkipTest("groq is not installed") from missing

from .chat_steps import chat_steps
from .compare import Script, cases

STEPS = chat_steps({"stream": True}, ".groq")
Sync = cases(Script("Groq", lambda url: groq.Groq(api_key="CANARY-key", base_url=url, max_retries=0), STEPS))
Async = cases(Script("AsyncGroq", lambda url: groq.AsyncGroq(api_key="CANARY-key", base_url=url, max_retries=0), STEPS))
del cases
