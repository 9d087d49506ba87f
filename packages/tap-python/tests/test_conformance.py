"""
The tap's conformance kit for the Python tap: it runs the data files of `test/tap/kit`, which the taps of all languages read.
Spec: Tap client wrapper, Tap reporter, Tap event; rules 27 to 30c.
"""

from __future__ import annotations

import json
import re
import types
import unittest
from pathlib import Path
from typing import Any, Dict, List
from urllib.parse import parse_qs, urlsplit

from metergate_tap import notices, tap
from metergate_tap.answer import Answer
from metergate_tap.event import event_json
from metergate_tap.figures import Figures
from metergate_tap.observe.body_reading import BodyReading
from metergate_tap.observe.call import Hold
from metergate_tap.observe.connection import observe_connection
from metergate_tap.observe.connection_calls import ConnectionCalls
from metergate_tap.observe.provider import provider_of
from metergate_tap.observe.reading import Reading
from metergate_tap.observe.response_head import read_head
from metergate_tap.observe.stop_reason import stop_reason_of
from metergate_tap.reporter import Reporter
from metergate_tap.settings import settings_of

KIT = Path(__file__).resolve().parents[3] / "test/tap/kit"


def kit(name: str) -> Any:
    return json.loads((KIT / f"{name}.json").read_text(encoding="utf-8"))


def figures_of(seen: Dict[str, Any]) -> Figures:
    figures = Figures(model="asked")
    for name, value in seen.items():
        setattr(figures, name, value)
    return figures


class Conformance(unittest.TestCase):
    maxDiff = None

    def assert_figures(self, figures: Figures, expected: Dict[str, Any]) -> None:
        self.assertEqual({name: getattr(figures, name) for name in expected}, expected)

    def each(self, name: str) -> Any:
        for case in kit(name)["cases"]:
            with self.subTest(case.get("name", case)):
                yield case

    def test_every_notice_is_the_line_that_all_taps_print(self) -> None:
        lines = {each["name"]: each["line"] for each in kit("notices")["cases"]}
        sentences = {name: text for name, text in vars(notices).items() if re.fullmatch("[A-Z][A-Z_]*", name)}
        camel = {re.sub("_(.)", lambda m: m.group(1).upper(), name.lower()): notices.notice_line(text) for name, text in sentences.items()}
        self.assertEqual(camel, lines)

    def test_words_in_which_answers_end(self) -> None:
        for case in self.each("stop-reasons"):
            self.assertEqual(stop_reason_of(case["word"]), case["is"])

    def test_providers_by_the_base_url(self) -> None:
        for case in self.each("providers"):
            self.assertEqual(provider_of(types.SimpleNamespace(base_url=case["url"])), case["is"])

    def test_tags_that_are_refused(self) -> None:
        for case in self.each("tags"):
            if case["ok"]:
                tap(object(), case["tag"], inspect=False, key="k", endpoint="none")
            else:
                self.assertRaises(ValueError, tap, object(), case["tag"])

    def test_readings(self) -> None:
        for case in self.each("readings"):
            figures = Figures(model="asked")
            reading = Reading(figures)
            for part in case["parts"]:
                reading.read(part)
            self.assert_figures(figures, case["figures"])

    def test_bodies_that_the_host_reads_itself(self) -> None:
        for case in self.each("bodies"):
            body = bytes.fromhex(case["hex"]) if "hex" in case else case["text"].encode()
            for size in (len(body) or 1, 1, 7):
                figures = Figures(model="asked")
                reading = BodyReading(Reading(figures).read)
                for at in range(0, len(body), size):
                    reading.add(body[at : at + size])
                self.assertEqual(reading.finish(), case["figures"] is not None, size)
                self.assert_figures(figures, case["figures"] or {})

    def test_heads_of_responses(self) -> None:
        for case in self.each("heads"):
            figures = Figures()
            read_head(types.SimpleNamespace(status_code=case["status"], headers=case["headers"]), figures)
            self.assert_figures(figures, case["figures"])

    def test_responses_of_a_connection(self) -> None:
        for case in self.each("connections"):
            client = types.SimpleNamespace(base_url=case["url"])
            seen: List[Figures] = []
            connection = Connection()
            model = parse_qs(urlsplit(case["url"]).query).get("model", [None])[0]
            self.assertTrue(observe_connection(connection, ConnectionCalls(Hold(client, seen.append), model)))
            for step in case["steps"]:
                if "send" in step:
                    connection.send(step["send"])
                else:
                    connection.message = step["receive"]
                    self.assertIs(connection.recv(), connection.message)
            if case["end"] == "closed":
                connection.close()
            else:
                connection.message = None
                self.assertRaises(ConnectionClosed, connection.recv)
            self.assertEqual(len(seen), len(case["calls"]))
            for figures, expected in zip(seen, case["calls"]):
                self.assert_figures(figures, expected)
                self.assertNotIn("CANARY", str([getattr(figures, name) for name in figures.__slots__]))

    def test_lines_of_events_byte_for_byte(self) -> None:
        shared = kit("events")
        for case in self.each("events"):
            seen = figures_of({**shared["seen"], **case["seen"]})
            self.assertEqual(event_json(seen, shared["tag"], shared["nowMs"] / 1000, lambda: shared["uuid"]), case["line"])

    def test_settings(self) -> None:
        for case in self.each("settings"):
            options = case["options"]
            settings = settings_of(options.get("key"), options.get("endpoint"), options.get("inspect"), case["environment"].get)
            self.assertEqual(settings._asdict(), case["settings"])

    def test_the_reporter(self) -> None:
        lines = {each["name"]: each["line"] for each in kit("notices")["cases"]}
        for case in self.each("reporter"):
            script = Script()
            for step in case["steps"]:
                script.do(step)
            self.assertEqual(script.posts, case["posts"])
            self.assertEqual(script.printed, [lines[name] for name in case["lines"]])


class ConnectionClosed(Exception):
    """As `websockets` calls it."""


class Connection:
    """A connection as the SDK's are to the tap."""

    message: Any = None

    def send(self, event: Any) -> None:
        pass

    def recv(self) -> Any:
        if self.message is None:
            raise ConnectionClosed
        return self.message

    def close(self) -> None:
        pass


class Script:
    """A reporter on a clock and a transport that the test controls."""

    def __init__(self) -> None:
        self.now_ms = 0.0
        self.made = 0
        self.posts: List[List[int]] = []
        self.printed: List[str] = []
        self.under_way = False
        self.reporter = Reporter(lambda: self.now_ms, self.printed.append)

    def do(self, step: Dict[str, Any]) -> None:
        for _ in range(step.get("add", 0)):
            self.made += 1
            self.reporter.add(str(self.made))
        if "add" in step and not self.under_way:
            self.reporter.next_at_ms()  # as the courier looks when an event came
        if "pass" in step:
            self.let_pass(step["pass"])
        if "answer" in step:
            self.answer(step["answer"])
            self.post_what_is_due(self.now_ms)
        if "end" in step:
            self.end(step["end"])

    def let_pass(self, duration_ms: float) -> None:
        until_ms = self.now_ms + duration_ms
        self.post_what_is_due(until_ms)
        self.now_ms = until_ms

    def post_what_is_due(self, until_ms: float) -> None:
        while not self.under_way:
            at_ms = self.reporter.next_at_ms()
            if at_ms is None or at_ms > until_ms:
                return
            self.now_ms = max(self.now_ms, at_ms)
            body = self.reporter.take()
            if body is not None:
                events = json.loads(body)["events"]
                self.posts.append([int(self.now_ms), events[0], events[-1]])
                self.under_way = True

    def answer(self, answer: Dict[str, Any]) -> None:
        self.under_way = False
        closed = answer["status"] == 410 and answer["code"] == "baseline_closed"
        self.reporter.answered(Answer(answer["status"], closed))

    def end(self, answers: List[Dict[str, Any]]) -> None:
        self.reporter.end()
        for at in range(1_000):
            self.post_what_is_due(self.now_ms + 10_000)
            if not self.under_way:
                break
            self.answer(answers[min(at, len(answers) - 1)])
        self.reporter.standing.end()


if __name__ == "__main__":
    unittest.main()
