"""
The `openai` SDK's WebSocket connections, bare and observed, against a scripted provider of WebSocket: the host receives the same, and there is
one event for each response. Spec: Tap client wrapper 1 and 2; rules 27, 28, 30b.
"""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import threading
import unittest
import weakref
from typing import Any, Dict, List

try:
    import openai
    from websockets.sync.server import serve
except ImportError as missing:
    raise unittest.SkipTest("openai or websockets is not installed") from missing

from metergate_tap.observe.observe import observe

_PARTS = [part for part in ("responses", "realtime") if hasattr(getattr(openai.OpenAI(api_key="none"), part), "connect")]
_USAGE = {"input_tokens": 20, "input_tokens_details": {"cached_tokens": 5}, "output_tokens": 9, "total_tokens": 29}
_SPOKEN = {"total_tokens": 30, "input_tokens": 20, "output_tokens": 10, "input_token_details": {"text_tokens": 20, "cached_tokens": 6}}


def _converse(connection: Any) -> None:
    """Answers each request; `break` as the model or the instructions breaks the connection in the middle."""
    realtime = "/realtime" in connection.request.path
    if realtime:
        connection.send(json.dumps({"type": "session.created", "event_id": "e0", "session": {"type": "realtime", "model": "served-realtime"}}))
    for number, message in enumerate(connection):
        asked = json.loads(message)
        if asked["type"] != "response.create":
            continue
        response: Dict[str, Any] = {"id": f"resp-{number}", "object": "response", "status": "in_progress", "output": []}
        if not realtime:
            response.update(model=f"served-{asked['model']}", created_at=1, tools=[], parallel_tool_calls=True, tool_choice="auto")
        connection.send(json.dumps({"type": "response.created", "event_id": "e1", "sequence_number": 0, "response": response}))
        if "break" in message:
            connection.socket.shutdown(socket.SHUT_RDWR)
            return
        text = {"item_id": "i", "output_index": 0, "content_index": 0, "delta": "CANARY", "response_id": response["id"]}
        connection.send(json.dumps({"type": "response.output_text.delta", "event_id": "e2", "sequence_number": 1, **text}))
        usage = _SPOKEN if realtime else _USAGE
        done = {**response, "status": "completed", "usage": usage}
        ends = "response.done" if realtime else "response.completed"
        connection.send(json.dumps({"type": ends, "event_id": "e3", "sequence_number": 2, "response": done}))


class Connections(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = serve(_converse, "127.0.0.1", 0)
        cls.url = "ws://127.0.0.1:%d/v1" % cls.server.socket.getsockname()[1]
        cls.thread = threading.Thread(target=cls.server.serve_forever)
        cls.thread.start()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.shutdown()
        cls.thread.join()

    def client(self, kind: Any, observed: bool) -> Any:
        self.seen: List[Any] = []
        client = kind(api_key="CANARY-key", base_url=self.url.replace("ws:", "http:"), websocket_base_url=self.url)
        if observed:
            self.assertTrue(observe(client, self.seen.append))
        return client

    def figures(self, *names: str) -> List[Any]:
        return [tuple(getattr(each, name) for name in names) for each in self.seen]

    def connect(self, client: Any, part: str) -> Any:
        return client.responses.connect() if part == "responses" else client.realtime.connect(model="asked-realtime")

    def turns(self, part: str, observed: bool) -> List[Any]:
        """Two turns: one by the connection's own helper, one whose bytes the host reads itself."""
        client = self.client(openai.OpenAI, observed)
        events: List[Any] = []
        with self.connect(client, part) as connection:
            self.ask(connection, part, "first")
            for event in connection:
                events.append(event.to_dict())
                if event.type in ("response.completed", "response.done"):
                    break
            connection.send({"type": "response.create", **({} if part == "realtime" else {"model": "m-two", "input": "CANARY"})})
            while not events[-1]["type"].endswith(("completed", "done")) or len(events) < 7 - (part == "responses"):
                events.append(json.loads(connection.recv_bytes()))
        return events

    def ask(self, connection: Any, part: str, what: str) -> Any:
        if part == "realtime":
            return connection.response.create(response={"instructions": what})
        return connection.response.create(model=what, input="CANARY")

    def test_the_host_receives_the_same_and_each_response_is_one_event(self) -> None:
        expected = {
            "responses": [("served-first", "resp-0", 20, 9, 5, "stop", 200), ("served-m-two", "resp-1", 20, 9, 5, "stop", 200)],
            "realtime": [("served-realtime", "resp-0", 20, 10, 6, "stop", 200), ("served-realtime", "resp-1", 20, 10, 6, "stop", 200)],
        }
        for part in _PARTS:
            with self.subTest(part):
                events = expected[part]
                bare = self.turns(part, False)
                self.assertEqual(self.turns(part, True), bare)
                self.assertEqual(len(bare), 7 - (part == "responses"))
                names = ("model", "request_id", "input_tokens", "output_tokens", "cached_tokens", "stop_reason", "status")
                self.assertEqual(self.figures(*names), events)
                self.assertTrue(all(each.latency_ms > 0 for each in self.seen))

    def test_asynchronous_connections(self) -> None:
        async def turn(part: str) -> None:
            client = self.client(openai.AsyncOpenAI, True)
            async with self.connect(client, part) as connection:
                with self.assertRaises(asyncio.TimeoutError):
                    for _ in range(2):
                        await asyncio.wait_for(connection.recv(), 0.05)
                await self.ask(connection, part, "first")
                async for event in connection:
                    if event.type in ("response.completed", "response.done"):
                        break
            manager = self.connect(client, part)
            connection = await manager.enter()
            await self.ask(connection, part, "break")
            with self.assertRaises(Exception):
                while True:
                    await connection.recv()
            await connection.close()

        for part in _PARTS:
            with self.subTest(part):
                asyncio.run(turn(part))
                model = "realtime" if part == "realtime" else None
                self.assertEqual(self.figures("model", "stop_reason", "status"),
                                 [(f"served-{model or 'first'}", "stop", 200), (f"served-{model or 'break'}", "error", 200)])  # fmt: skip

    def test_a_connection_that_the_host_leaves_is_freed_and_its_response_is_reported(self) -> None:
        for part in _PARTS:
            with self.subTest(part):
                client = self.client(openai.OpenAI, True)
                manager = self.connect(client, part)
                connection = manager.enter()
                self.ask(connection, part, "first")
                while connection.recv().type != "response.created":
                    pass
                connection.close()
                self.assertEqual(self.figures("request_id", "stop_reason"), [("resp-0", "other")])
                reference = weakref.ref(connection)
                del connection, manager
                gc.collect()
                self.assertIsNone(reference())

    def test_a_message_that_waits_for_its_connection_is_a_call_once_it_leaves(self) -> None:
        client = self.client(openai.OpenAI, True)
        if "responses" not in _PARTS:
            self.skipTest("this SDK has no such managers")
        manager = self.connect(client, "responses")
        manager.send({"type": "response.create", "model": "early", "input": "CANARY"})
        with manager as connection:
            while connection.recv().type != "response.completed":
                pass
        self.assertEqual(self.figures("model", "stop_reason"), [("served-early", "stop")])

    def test_managers_and_connections_look_as_they_do_without_the_tap(self) -> None:
        for observed in (False, True):
            client = self.client(openai.OpenAI, observed)
            manager = self.connect(client, "realtime")
            self.assertEqual(type(manager).__name__, "RealtimeConnectionManager")
            self.assertIsInstance(manager, openai.resources.realtime.realtime.RealtimeConnectionManager)
            with manager as connection:
                self.assertIs(type(connection), openai.resources.realtime.realtime.RealtimeConnection)


if __name__ == "__main__":
    unittest.main()
