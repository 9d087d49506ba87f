"""
What a host releases is freed at that moment, as without the tap: by reference count, with the garbage collector off. An open stream that only
the collector frees is closed in the middle of some other call, when its client's pool may hold the lock that closing needs.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import unittest
import weakref
from typing import Any, Callable, Iterator, List

from metergate_tap.figures import Figures
from metergate_tap.observe.observe import observe

PART = {"id": "a-1", "model": "m", "choices": [{"index": 0, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}


class Part(dict):  # type: ignore[type-arg]
    """A part that can be weakly referenced."""


class Response:
    """An HTTP response, open until it is closed or freed."""

    status_code = 200
    headers: Any = {}

    def __init__(self, parts: int = 3) -> None:
        self.closed_by: List[str] = []
        self.parts = parts

    def read(self) -> Iterator[Part]:
        for _ in range(self.parts):
            yield Part(PART)


class Stream:
    """An SDK's stream without a cycle of its own."""

    def __init__(self, response: Response) -> None:
        self.response = response
        self.generator = response.read()
        self.is_closed = False

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Part:
        return next(self.generator)

    def close(self) -> str:
        """Closes it."""
        self.is_closed = True
        return "closed"


async def read_later(response: Response) -> Any:
    for part in response.read():
        yield part


class AsyncStream:
    def __init__(self, response: Response) -> None:
        self.response = response
        self.generator = read_later(response)

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> Part:
        return await self.generator.__anext__()  # type: ignore[no-any-return]

    async def close(self) -> str:
        return "closed"


class Raw:
    """An SDK's raw response: parsed when the host asks for it."""

    def __init__(self, kind: Any) -> None:
        self.http_response = Response()
        self._kind = kind
        self._parsed: Any = None

    def parse(self, *, to: Any = None) -> Any:
        """Parses it, once."""
        if self._parsed is None:
            self._parsed = self._kind(self.http_response)
        return self._parsed

    def json(self) -> Any:
        return dict(PART)

    def read(self) -> bytes:
        return b"{}"

    def close(self) -> None:
        pass


class Stainless:
    """A client of the shape that the generator of OpenAI's and others' SDKs gives; its answers are what the test passes in."""

    base_url = "https://api.openai.com/v1/"

    def request(self, make: Callable[[], Any], options: Any) -> Any:
        return self._process_response(make(), response=Response())

    def _process_response(self, made: Any, *, response: Any) -> Any:
        return made

    def post(self, make: Callable[[], Any]) -> Any:
        return self.request(make, Options())

    def _build_request(self) -> None:
        pass


class AsyncStainless(Stainless):
    async def request(self, make: Callable[[], Any], options: Any) -> Any:  # type: ignore[override]
        return await self._process_response(make(), response=Response())

    async def _process_response(self, made: Any, *, response: Any) -> Any:  # type: ignore[override]
        return made


class Options:
    method = "POST"
    url = "/chat/completions"

    def __init__(self) -> None:
        self.model = "asked"


class Completions:
    def create(self, make: Callable[[], Any]) -> Any:
        return make()


class Plain:
    """A client that is recognised by its methods."""

    def __init__(self) -> None:
        self.completions = Completions()

    def post(self, make: Callable[[], Any]) -> Any:
        return self.completions.create(make)


def generator() -> Any:
    return Response().read()


MADE = {
    "a stream": lambda: Stream(Response()),
    "an asynchronous stream": lambda: AsyncStream(Response()),
    "a raw response": lambda: Raw(Stream),
    "a raw response of an asynchronous stream": lambda: Raw(AsyncStream),
    "a generator": generator,
}


async def got(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


async def nothing(made: Any, keep: Callable[[Any], None]) -> None:
    """The host does not look at it."""


async def first(made: Any, keep: Callable[[Any], None]) -> None:
    """The host reads one part and leaves."""
    keep(await _next(made.parse() if hasattr(made, "parse") else made))


async def whole(made: Any, keep: Callable[[Any], None]) -> None:
    stream = made.parse() if hasattr(made, "parse") else made
    keep(stream)
    if hasattr(stream, "__aiter__"):
        async for part in stream:
            keep(part)
    else:
        for part in stream:
            keep(part)


async def closed(made: Any, keep: Callable[[Any], None]) -> None:
    await got(made.close())


async def _next(stream: Any) -> Any:
    return await stream.__anext__() if hasattr(stream, "__anext__") else next(stream)


class Freed(unittest.TestCase):
    def alive(self, client: Any, make: Callable[[], Any], use: Any) -> List[str]:
        """What is still alive after the host has released everything except its client."""
        kept: List[Any] = []

        def keep(thing: Any) -> None:
            kept.append((type(thing).__name__, weakref.ref(thing)))

        def made() -> Any:
            one = make()
            keep(one)
            for name in ("response", "http_response"):
                if hasattr(one, name):
                    keep(getattr(one, name))
            return one

        async def life() -> None:
            one = await got(client.post(made))
            await use(one, keep)

        loop = asyncio.new_event_loop()
        gc.collect()
        gc.disable()
        try:
            loop.run_until_complete(life())
            for _ in range(5):  # an asynchronous generator is closed by its loop
                loop.run_until_complete(asyncio.sleep(0))
            return [name for name, reference in kept if reference() is not None]
        finally:
            gc.enable()
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    def test_what_a_host_lets_go_of_is_freed_when_it_would_be_without_the_tap(self) -> None:
        for kind in (Stainless, AsyncStainless, Plain):
            for name, make in MADE.items():
                if name.startswith("a raw response") if kind is Plain else name == "a generator":
                    continue  # clients of this kind do not make it
                for use in (nothing, first, whole, *([closed] if hasattr(make(), "response") else [])):
                    with self.subTest(kind.__name__, made=name, use=use.__name__):
                        seen: List[Figures] = []
                        self.assertEqual(self.alive(kind(), make, use), [], "the stand-in of the test has a cycle of its own")
                        client = kind()
                        self.assertTrue(observe(client, seen.append))
                        self.assertEqual(self.alive(client, make, use), [])
                        called = name != "a generator" or use is not nothing  # it makes its call when it is read
                        self.assertEqual(len(seen), int(called), "the event comes at that moment too")

    def test_a_method_of_a_response_goes_on_when_the_host_keeps_nothing_else(self) -> None:
        seen: List[Figures] = []
        client = Stainless()
        observe(client, seen.append)
        self.assertEqual(len(list(client.post(lambda: Raw(Stream)).parse())), 3)
        self.assertEqual(client.post(lambda: Raw(Stream)).json(), PART)
        self.assertEqual(client.post(lambda: Stream(Response())).close(), "closed")
        parse = client.post(lambda: Raw(Stream)).parse
        self.assertIs(parse(), parse(), "what the first call left is there for the second")
        del parse
        self.assertEqual([call.stop_reason for call in seen], ["stop", "stop", "other", "other"])

    def test_methods_look_as_those_they_stand_in_for(self) -> None:
        client = Stainless()
        observe(client, lambda seen: None)
        for make in (lambda: Raw(Stream), lambda: Stream(Response()), lambda: AsyncStream(Response())):
            bare, wrapped = make(), client.post(make)
            for name in ("parse", "json", "close"):
                method, stand_in = getattr(bare, name, None), getattr(wrapped, name, None)
                for look in (inspect.ismethod, inspect.iscoroutinefunction, inspect.getdoc):
                    self.assertEqual(look(stand_in), look(method), name)
                if method is not None:
                    self.assertEqual(inspect.signature(stand_in), inspect.signature(method))
                    self.assertEqual(stand_in.__qualname__, method.__qualname__)

    def test_a_stream_that_keeps_its_own_state_is_closed_by_its_own_method(self) -> None:
        client = Stainless()
        observe(client, lambda seen: None)
        stream = client.post(lambda: Stream(Response()))
        stream.close()
        self.assertTrue(stream.is_closed)

    def test_an_answer_that_cannot_be_followed_is_not_kept(self) -> None:
        class Tracked:
            pass

        seen: List[Figures] = []
        client = Plain()
        observe(client, seen.append)
        thing = Tracked()
        reference = weakref.ref(thing)
        answer = client.post(lambda: iter([thing]))
        del thing
        next(answer)
        del answer
        self.assertIsNone(reference())
        self.assertEqual([call.stop_reason for call in seen], ["other"])


if __name__ == "__main__":
    unittest.main()
