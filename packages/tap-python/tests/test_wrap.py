"""
`tap(client, tag, …)` from outside: what it returns, raises, prints and sends (spec, Tap client wrapper; rules 27 to 30c).
"""

from __future__ import annotations

import json
import re
import unittest
from pathlib import Path
from typing import Any, Dict

from metergate_tap import __version__, tap

from .host import Ingestion, run_host

ROOT = Path(__file__).resolve().parents[1]
KEY = {"SVC_TAP_KEY": "CANARY_tap_key"}


class Wrap(unittest.TestCase):
    def test_the_version_is_said_once(self) -> None:
        named = re.search(r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(named and named.group(1), __version__)

    def test_the_very_object_comes_back_whatever_it_is(self) -> None:
        class Hostile:
            def __getattribute__(self, name: str) -> Any:
                raise RuntimeError(name)

            def __eq__(self, other: object) -> bool:
                raise RuntimeError("eq")

        script = "tap(None, 't'); tap(7, 't'); tap(len, 't'); tap(object(), 't'); tap(type, 't'); print('on')"
        self.assertEqual(run_host(script, SVC_TAP_KEY="k").stdout, "on\n")
        for client in (Hostile(), object(), lambda: None, {}, None, 7, "client"):
            self.assertIs(tap(client, "t", inspect=False, key="k", endpoint="none"), client)

    def test_no_key_is_told_once_for_each_client(self) -> None:
        with Ingestion() as endpoint:
            script = "other = Client(); tap(client, 'a'); tap(client, 'b'); tap(other, 'a'); call(3); print(client.chat.completions.made)"
            ended = run_host(script, SVC_TAP_ENDPOINT=endpoint.url)
            self.assertEqual((ended.code, ended.stdout, len(endpoint.posts)), (0, "3\n", 0))
        lines = ended.stderr.splitlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, "^metergate-tap: no tap key")

    def test_a_client_without_calls_is_told(self) -> None:
        script = "from unittest.mock import MagicMock; mock = MagicMock(); tap(mock, 't'); tap(object(), 't'); mock.chat.completions.create()"
        ended = run_host(script + "; mock.chat.completions.create.assert_called_once()", SVC_TAP_KEY="k")
        self.assertEqual((ended.code, ended.stderr), (0, "metergate-tap: this client has no call to observe.\n" * 2))

    def test_an_event_holds_the_figures_of_its_call_and_nothing_else(self) -> None:
        with Ingestion() as endpoint:
            ended = run_host("client.api_key = 'CANARY-provider-key'; tap(client, 'unit-1'); call(1)", SVC_TAP_ENDPOINT=endpoint.url, **KEY)
            self.assertEqual(ended.stderr, "")
            (post,) = endpoint.posts
        headers: Dict[str, str] = {name.lower(): value for name, value in post["headers"].items()}
        self.assertEqual(headers.pop("authorization"), "Bearer CANARY_tap_key")
        self.assertNotIn("CANARY", endpoint.text())
        self.assertEqual(headers["user-agent"], f"metergate-tap/{__version__}")
        self.assertEqual(headers["content-type"], "application/json")
        (event,) = json.loads(post["body"])["events"]
        self.assertRegex(event.pop("timestamp"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertIsInstance(event.pop("latency_ms"), int)
        self.assertEqual(event, {
            "schema": "svc-tap-v1", "provider": "other", "model": "model-1", "request_id": "call_1", "input_tokens": 3, "output_tokens": 4,
            "cached_tokens": 1, "stop_reason": "stop", "tool_calls": 1, "status": 200, "retries": 0, "rate_limit": None, "tag": "unit-1",
        })  # fmt: skip

    def test_a_second_tap_changes_the_tag_and_two_clients_share_a_batch(self) -> None:
        with Ingestion() as endpoint:
            script = "tap(client, 'first'); call(1); tap(client, 'second'); call(1); other = Client(); tap(other, 'other'); call(1, other)"
            run_host(script, SVC_TAP_ENDPOINT=endpoint.url, **KEY)
            self.assertEqual([event["tag"] for event in endpoint.events()], ["first", "second", "other"])
            self.assertEqual(len(endpoint.posts), 1)

    def test_options_override_the_environment(self) -> None:
        with Ingestion() as endpoint:
            script = f"tap(client, 't', key='from-options', endpoint={endpoint.url!r}); call(1)"
            run_host(script, SVC_TAP_KEY="from-environment", SVC_TAP_ENDPOINT="http://127.0.0.1:9/")
            self.assertEqual(endpoint.posts[0]["headers"]["authorization"], "Bearer from-options")

    def test_inspect_mode_prints_each_batch_as_it_would_be_posted(self) -> None:
        notices = []
        for more in ({}, KEY):
            ended = run_host("tap(client, 't'); tap(Client(), 't'); call(2)", SVC_TAP_INSPECT=" On ", **more)
            notice, batch = ended.stderr.splitlines()
            parsed = json.loads(batch)
            self.assertEqual(json.dumps(parsed, separators=(",", ":")), batch)
            self.assertEqual((list(parsed), len(parsed["events"])), (["events"], 2))
            self.assertNotIn("CANARY", ended.stderr)
            notices.append(notice)
        self.assertEqual(notices, [
            "metergate-tap: inspect mode: batches are printed, nothing is sent.",
            "metergate-tap: inspect mode: batches are printed, nothing is sent. The key is left aside.",
        ])  # fmt: skip

    def test_inspect_mode_prints_where_the_host_put_its_stderr(self) -> None:
        script = """
import io
sys.stderr = io.StringIO(); tap(client, 't'); call(1)
while len(sys.stderr.getvalue().splitlines()) < 2: time.sleep(0.02)
print(sys.stderr.getvalue())
"""
        ended = run_host(script, SVC_TAP_INSPECT="1")
        self.assertEqual(len(ended.stdout.splitlines()), 3)

    def test_an_event_the_server_would_refuse_is_neither_printed_nor_sent(self) -> None:
        script = "client.chat.completions.create = lambda **asked: {'id': 'x', 'model': 'two words', 'choices': []}; tap(client, 't'); call(1)"
        self.assertEqual(len(run_host(script, SVC_TAP_INSPECT="1").stderr.splitlines()), 1)

    def test_three_posts_answered_401_end_the_posting_of_all_clients_of_the_key(self) -> None:
        with Ingestion(lambda index: 401) as endpoint:
            ended = run_host("other = Client(); tap(client, 'a'); tap(other, 'b'); call(450)", SVC_TAP_ENDPOINT=endpoint.url, **KEY)
            self.assertEqual(len(endpoint.posts), 3)
        self.assertEqual(ended.stderr, "metergate-tap: the tap key was not accepted three times: reporting stopped.\n")

    def test_an_answer_that_closes_the_baseline_is_told_in_every_form(self) -> None:
        body = b'{"error":{"code":"baseline_closed","message":"x"}}'
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        for answer in ((410, {}, body), (410, {"transfer-encoding": "chunked", "content-length": ""}, chunked)):
            with Ingestion(lambda index, answer=answer: answer) as endpoint:
                ended = run_host("tap(client, 't'); call(500)", SVC_TAP_ENDPOINT=endpoint.url, **KEY)
                self.assertEqual(len(endpoint.posts), 1)
            self.assertEqual(ended.stderr, "metergate-tap: the Baseline has closed: reporting stopped. It resumes by itself.\n")


if __name__ == "__main__":
    unittest.main()
