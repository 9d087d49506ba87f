"""
Runs one script on a bare client and on an observed one, and compares the two: what each step returned or raised, its warnings and output;
then the calls seen with those expected, and their number with the provider's requests. It also runs the script once through the whole
package, and checks that no text of a call is posted or printed. Prompts, answers, tool arguments, errors and keys are all words that begin
with `CANARY`.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import gc
import inspect
import io
import json
import os
import random
import re
import ssl
import sys
import time
import types
import unittest
import warnings
from collections import Counter
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple
from unittest import mock

from metergate_tap import tap
from metergate_tap.figures import Figures
from metergate_tap.observe.observe import observe

from ..host import Ingestion
from .portrait import portrait
from .provider import Provider, node

Expected = Dict[str, Any]
CALLS_OF_LIFE = int(os.environ.get("METERGATE_CALLS_OF_LIFE", "100"))
"""Of a client that is used again and again."""
TEST_LIMIT_S = 150
"""A step takes well under a second, 100 calls of one client a few."""
NONE: Expected = {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0}


class Step(NamedTuple):
    """One step: what it does with the client, and which calls the tap must see."""

    name: str
    run: Callable[..., Any]
    seen: Sequence[Expected] = ()
    unheard: bool = False
    """The provider gets more or fewer calls than the tap sees."""
    alone: bool = False
    """The step takes the provider too, and depends on what it receives."""


class Script(NamedTuple):
    """A script for one version of one SDK."""

    name: str
    client: Callable[[str], Any]
    steps: Sequence[Step]


def _pick(seen: Figures, wanted: Expected) -> Expected:
    picked = {name: getattr(seen, name) for name in wanted}
    if isinstance(picked.get("request_id"), str):
        picked["request_id"] = re.sub(r"-\d+$", "-N", picked["request_id"])
    return picked


async def _outcome(step: Step, client: Any, provider: Provider) -> Any:
    """A raised error counts as a result."""
    try:
        result = step.run(client, provider) if step.alone else step.run(client)
        return await result if inspect.isawaitable(result) else result
    except Exception as error:
        return ("raised", error)
    except asyncio.CancelledError as error:
        return ("raised", error)


def cases(script: Script) -> type:
    """A test case with one test for each step, and one in which a single client runs all of them again and again."""

    class Case(unittest.TestCase):
        maxDiff = 4_000
        provider: Provider
        printed: List[io.StringIO]
        """What was printed while each step of the last run ran, and otherwise."""
        left: "Counter[str]"
        """What the last step that ran alone left for the garbage collector."""

        @classmethod
        def setUpClass(cls) -> None:
            if node() is None:
                raise unittest.SkipTest("the scripted provider needs Node: run npm ci")
            cls.provider = Provider()

            # Each client would load all certificate authorities, most of a test's time; the provider here speaks plain HTTP.
            certificates = mock.patch.object(ssl.SSLContext, "load_verify_locations", lambda self, *args, **kwargs: None)
            certificates.start()
            cls.addClassCleanup(certificates.stop)

        @classmethod
        def tearDownClass(cls) -> None:
            cls.provider.close()

        def setUp(self) -> None:
            """A test that hangs fails: the process prints the stack of each thread, and ends."""
            faulthandler.dump_traceback_later(TEST_LIMIT_S, exit=True)
            self.addCleanup(faulthandler.cancel_dump_traceback_later)
            gc.collect()
            gc.freeze()  # what the SDK has loaded so far is not scanned again at each step

        def live(self, client: Any, steps: Sequence[Step]) -> List[str]:
            """
            What each step gave and reported, one after another on one client, and what a single one left for the garbage collector. That
            runs only between steps: streams of most SDKs are reference cycles, and one that the collector closes while its client's pool
            holds its lock waits for that lock for ever, with or without the tap.
            """

            self.printed = []

            async def all_steps() -> List[str]:
                told: List[str] = []
                for number, step in enumerate(steps):
                    with warnings.catch_warnings(record=True) as warned, _streams() as streams:
                        warnings.simplefilter("always")
                        drawn = portrait(await _outcome(step, client, self.provider))
                        await asyncio.sleep(0)
                        if len(steps) == 1:
                            self.left = collected(type(client))
                        if number % 10 == 9:
                            gc.collect()
                    heard = [(str(each.message), each.category.__name__, each.filename) for each in warned]
                    self.printed.append(streams)
                    told.append(f"{drawn} warned {heard} printed {streams.getvalue()!r}")
                await _close(client)
                return told

            gc.collect()
            gc.disable()
            try:
                return asyncio.run(all_steps())
            finally:
                gc.enable()

        def observed(self) -> Tuple[Any, List[Figures]]:
            seen: List[Figures] = []
            client = script.client(self.provider.url)
            kind, shown = type(client), dir(client)
            self.assertTrue(observe(client, seen.append))
            self.assertIs(type(client), kind)
            self.assertEqual(dir(client), shown, "the client shows other names")
            return client, seen

        def check(self, step: Step) -> None:
            expected = self.live(script.client(self.provider.url), [step])
            left = self.left
            client, seen = self.observed()
            asked = self.provider.calls()
            self.assertEqual(self.live(client, [step]), expected)
            gc.collect()
            picked = [_pick(call, step.seen[min(at, len(step.seen) - 1)] if step.seen else {}) for at, call in enumerate(seen)]
            self.assertEqual(picked, list(step.seen))
            for call in seen:
                self.assertTrue(0 <= call.latency_ms < 60_000)
            if not step.unheard:
                self.assertEqual(len(seen), self.provider.calls() - asked, "as many events as calls")

            self.check_left(step, self.left - left)

        def check_left(self, step: Step, more: "Counter[str]") -> None:
            """
            With the tap no more is left for the garbage collector than without. A thread of the SDK may hold something a moment longer; a
            cycle is there every time.
            """
            for _ in range(3):
                if more:
                    self.live(script.client(self.provider.url), [step])
                    left = self.left
                    self.live(self.observed()[0], [step])
                    more = self.left - left
            self.assertEqual(more, Counter(), "left to the collector of cycles by the tap alone")

        def test_a_life_of_many_calls(self) -> None:
            steps = [step for step in script.steps if step.seen]
            life: List[Step] = []
            shuffled = random.Random(7)
            while sum(len(step.seen) for step in life) < CALLS_OF_LIFE:
                life.extend(shuffled.sample(steps, len(steps)))
            expected = self.live(script.client(self.provider.url), life)
            client, seen = self.observed()
            for step, bare, told in zip(life, expected, self.live(client, life)):
                self.assertEqual(told, bare, step.name)
            gc.collect()
            self.assertEqual(len(seen), sum(len(step.seen) for step in life))

        def test_no_word_of_a_call_is_posted_or_printed(self) -> None:
            """One client runs every step and is tapped again before each: its events are posted and printed in turn."""
            steps = [step for step in script.steps if step.seen]
            with Ingestion() as endpoint, _streams() as otherwise:
                ways = ({"key": "CANARY-tap-key", "endpoint": endpoint.url, "inspect": False}, {"inspect": True})
                self.live(script.client(self.provider.url), [tapped(step, ways[at % 2]) for at, step in enumerate(steps)])
                self.printed.append(otherwise)
                gc.collect()
                # Without a known model there is no event that the server would take.
                wanted = sum(call.get("model", "") is not None for step in steps for call in step.seen)
                until = time.monotonic() + 10
                while len(endpoint.events()) + len(_printed_events(self.printed)) < wanted and time.monotonic() < until:
                    time.sleep(0.02)
                printed = _printed_events(self.printed)
            self.assertEqual(len(endpoint.events()) + len(printed), wanted)
            self.assertTrue(endpoint.events() and printed)
            self.assertNotIn("CANARY", "".join(each.getvalue() for each in self.printed))
            self.assertEqual({post["headers"].get("authorization") for post in endpoint.posts}, {"Bearer CANARY-tap-key"})
            self.assertNotIn("CANARY", endpoint.text())

    for number, step in enumerate(script.steps):
        setattr(Case, f"test_{number:03d}_{re.sub('[^a-z0-9]+', '_', step.name.lower())}", lambda self, step=step: self.check(step))
    Case.__name__ = Case.__qualname__ = script.name
    return Case


def tapped(step: Step, way: Dict[str, Any]) -> Step:
    """The step, on a client that is tapped in this way just before it."""

    def run(client: Any, *provider: Provider) -> Any:
        return step.run(tap(client, "canary", **way), *provider)

    return step._replace(run=run)


def _printed_events(printed: List[io.StringIO]) -> List[Any]:
    lines = "".join(each.getvalue() for each in printed).splitlines()
    return [event for line in lines if line.startswith('{"events":') for event in json.loads(line)["events"]]


async def _close(client: Any) -> None:
    """Closes the client: connections that outlive their loop cause warnings whenever they are collected."""
    mistral = getattr(getattr(client, "sdk_configuration", None), "async_client", None)
    if mistral is not None:
        await mistral.aclose()
    for name in ("close", "aclose"):
        close = getattr(client, name, None)
        if close is not None:
            await got(close())
            return


_HOSTS_OWN = re.compile(r"httpx2?\.Response|(httpx2?\..*\(\)|(openai|anthropic|groq|mistralai|google\.genai)\..*)")
"""The SDK's own objects, responses and their readers; not connections and their parts, which depend on timing."""


def collected(client: type) -> "Counter[str]":
    """
    Collects cycles; the kinds of the SDK's objects in them, and how many of each. All other objects were freed when the host released them.
    Clients are left out: those that made a call are reference cycles by themselves.
    """
    before = _alive(client)
    gc.collect()
    return before - _alive(client)


def _alive(client: type) -> "Counter[str]":
    kinds: "Counter[str]" = Counter()
    for kind, count in Counter(_kind(each) for each in gc.get_objects()).items():
        name = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__name__}"
        if kind is not client and _HOSTS_OWN.fullmatch(name):
            kinds[name] += count
    return kinds


def _kind(one: Any) -> Any:
    """The class of an object; for a generator, the function that made it."""
    kind = type(one)
    frame = one.gi_frame if kind is types.GeneratorType else one.ag_frame if kind is types.AsyncGeneratorType else None
    return kind if frame is None else f"{frame.f_globals.get('__name__')}.{one.__name__}()"


@contextlib.contextmanager
def _streams() -> Any:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        yield printed


async def drain(stream: Any, last: Callable[[Any], bool] = lambda part: False) -> List[Any]:
    """The parts of a stream, synchronous or not, up to the one after which the host leaves."""
    parts: List[Any] = []
    if hasattr(stream, "__aiter__"):
        async for part in stream:
            parts.append(part)
            if last(part):
                break
        return parts
    for part in stream:
        parts.append(part)
        if last(part):
            break
    return parts


async def got(value: Any) -> Any:
    """The value of a call of a synchronous or asynchronous client."""
    return await value if inspect.isawaitable(value) else value


def silent(client: Any) -> Any:
    """
    The timeout for an answer that does not come, in the form of the client's SDK. It counts from when the request was sent: on a busy machine
    connecting may take longer.
    """
    return sys.modules[type(client).__module__.split(".")[0]].Timeout(30, read=0.05)
