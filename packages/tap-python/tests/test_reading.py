"""Parts of a stream, read one after another: those that only carry text are not searched, and no figure is lost by that."""

from __future__ import annotations

import unittest
from typing import Any, Dict, List, Tuple

from metergate_tap.figures import Figures
from metergate_tap.observe.reading import Reading

USAGE = {"prompt_tokens": 3, "completion_tokens": 4}


class Model:
    """A model of an SDK: its fields, and fields that it does not name."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


class Extra(Model):
    __slots__ = ("__pydantic_extra__",)

    def __init__(self, extra: Dict[str, Any], **fields: Any) -> None:
        super().__init__(**fields)
        self.__pydantic_extra__ = extra


def chunk(finish_reason: Any = None, usage: Any = None, id: str = "chatcmpl-1", **delta: Any) -> Dict[str, Any]:
    return {"id": id, "model": "served", "choices": [{"index": 0, "finish_reason": finish_reason, "delta": delta}], "usage": usage}


def models(part: Any) -> Any:
    """The same as models, at every level."""
    if isinstance(part, dict):
        return Model(**{name: models(value) for name, value in part.items()})
    return [models(each) for each in part] if isinstance(part, list) else part


TOOL = [{"index": 0, "id": "t-1", "type": "function", "function": {"name": "f", "arguments": ""}}]

STREAMS: List[Tuple[str, List[Any], Dict[str, Any]]] = [
    ("text", [chunk(content="a"), chunk(content="b"), chunk("stop"), {"id": "chatcmpl-1", "model": "served", "choices": [], "usage": USAGE}],
     {"stop_reason": "stop", "input_tokens": 3, "output_tokens": 4}),
    ("a tool among the text", [chunk(content="a"), chunk(content="b"), chunk(tool_calls=TOOL), chunk("tool_calls", USAGE)],
     {"stop_reason": "tool_calls", "tool_calls": 1, "output_tokens": 4}),
    ("usage beside the text", [chunk(content="a"), chunk(content="b", usage=USAGE)], {"stop_reason": "other", "output_tokens": 4}),
    ("Groq's own field", [chunk(content="a"), {**chunk("stop"), "x_groq": {"usage": USAGE}}], {"stop_reason": "stop", "output_tokens": 4}),
    ("several choices", [chunk(content="a"), {**chunk(), "choices": [chunk("stop")["choices"][0], {"index": 1, "delta": {"content": "b"}}]}],
     {"stop_reason": "stop"}),
    ("left after the first part", [chunk(content="a")], {"stop_reason": "other"}),
]  # fmt: skip


class Parts(unittest.TestCase):
    def test_figures_of_streams_in_dictionaries_and_models(self) -> None:
        for form in (lambda part: part, models):
            for name, parts, expected in STREAMS:
                with self.subTest(name, form=form.__name__):
                    figures = Figures("openai", "asked")
                    figures.request_id = "req_of_the_head"
                    reading = Reading(figures)
                    for part in parts:
                        reading.read(form(part))
                    told = {field: getattr(figures, field) for field in ("model", "request_id", *expected)}
                    self.assertEqual(told, {"model": "served", "request_id": "chatcmpl-1", **expected})

    def test_a_field_that_the_model_does_not_name_is_read(self) -> None:
        figures = Figures()
        reading = Reading(figures)
        reading.read(models(chunk(content="a")))
        reading.read(Extra({"x_groq": {"usage": USAGE}}, **models(chunk(content="b")).__dict__))
        self.assertEqual(figures.output_tokens, 4)

    def test_events_of_the_second_wire(self) -> None:
        figures = Figures()
        reading = Reading(figures)
        for part in (
            {"type": "message_start", "message": {"id": "msg_1", "model": "served", "usage": {"input_tokens": 5, "output_tokens": 1}}},
            {"type": "content_block_start", "content_block": {"type": "tool_use", "id": "t", "name": "f"}},
            {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": "{}"}},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
        ):
            reading.read(part)
        told = (figures.model, figures.request_id, figures.input_tokens, figures.output_tokens, figures.tool_calls, figures.stop_reason)
        self.assertEqual(told, ("served", "msg_1", 5, 9, 1, "tool_calls"))


if __name__ == "__main__":
    unittest.main()
