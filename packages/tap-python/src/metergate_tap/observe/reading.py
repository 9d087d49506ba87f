"""
The figures of one answer: served model, id, tokens, stop reason, number of tool calls. It takes the whole answer, or the parts of a
stream in order, of every wire and in the forms that SDKs give them; the field names tell them apart.
Rule 27: the wire's own numbers. Figures whose field is missing keep their value; text of the answer is never kept.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Optional, Set, Tuple

from ..figures import Figures
from .look import figure_in, list_at, own, text_in
from .stop_reason import stop_reason_of

_TOOL_CALLS_MAX = 10_000
"""Tool calls beyond what an event can hold are not counted."""

_USAGE = "usage usage_metadata usageMetadata x_groq.usage choices.0.usage"
_TOKENS = {
    "input_tokens": "prompt_tokens input_tokens prompt_token_count promptTokenCount",
    "output_tokens": "completion_tokens output_tokens candidates_token_count candidatesTokenCount",
    "cached_tokens": "prompt_tokens_details.cached_tokens input_tokens_details.cached_tokens input_token_details.cached_tokens "
    "cache_read_input_tokens cached_content_token_count cachedContentTokenCount",
}
"""Where tokens are: first wire, second wire and Responses, Realtime, Google's SDK, Google's wire."""

_STOP = (
    "stop_reason delta.stop_reason candidates.0.finish_reason candidates.0.finishReason incomplete_details.reason "
    "status_details.reason status"
)
"""Where the stop reason is: second wire, Google, Responses, Realtime."""

_field = object.__getattribute__

_TOOL_TYPES = re.compile(r"function_call|custom_tool_call|tool_use")


class Reading:
    """Reads the parts of one answer into its figures. Some wires repeat a tool call in later parts, so it keeps their ids."""

    __slots__ = ("_figures", "_tools", "_named")

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._tools: Set[Any] = set()
        self._named = False
        """True once a part has named the model that answers, and its id."""

    def read(self, part: Any) -> None:
        """Reads one part; accepts any value."""
        figures = self._figures
        if self._named and _is_only_text(part):
            return
        answer = _answer_in(part)
        model = text_in(answer, "model model_version modelVersion response.model")
        if model:
            figures.model = model
            self._named = True
            # Without a model it is the id of a part.
            figures.request_id = text_in(answer, "id response_id responseId response.id") or figures.request_id
        usage = own(answer, _USAGE)
        if usage is not None:
            self._read_usage(usage)
        self._read_tools(part, answer)
        self._read_stop(answer, own(part, "type"))

    def _read_usage(self, usage: Any) -> None:
        figures = self._figures
        for field, paths in _TOKENS.items():
            found = figure_in(usage, paths)
            if found is not None:
                setattr(figures, field, found)
        thoughts = figure_in(usage, "thoughts_token_count thoughtsTokenCount")  # Google counts these separately from its candidates
        if thoughts:
            figures.output_tokens = thoughts + (figure_in(usage, "candidates_token_count candidatesTokenCount") or 0)

    def _read_tools(self, part: Any, answer: Any) -> None:
        """Each tool call, by its id or else its index; one with neither counts each time. A stream names a tool only in its first part."""
        for position, choice in enumerate(list_at(answer, "choices")):
            message = own(choice, "message delta")
            calls = [*list_at(message, "tool_calls"), own(message, "function_call")]
            for index, call in enumerate(calls):
                if text_in(call, "function.name custom.name name"):
                    self._add_tool(call, (_or(own(choice, "index"), position), _or(own(call, "index"), index)))
        for block in [*list_at(answer, "output content"), own(part, "item content_block"), part]:
            kind = own(block, "type")
            if isinstance(kind, str) and _TOOL_TYPES.fullmatch(kind):
                self._add_tool(block, None)
        for candidate in list_at(answer, "candidates"):
            for piece in list_at(candidate, "content.parts"):
                if text_in(piece, "function_call.name functionCall.name"):
                    self._add_tool(own(piece, "function_call functionCall"), None)
        self._figures.tool_calls = len(self._tools)

    def _add_tool(self, call: Any, place: Any) -> None:
        if len(self._tools) < _TOOL_CALLS_MAX:
            self._tools.add(text_in(call, "call_id id") or place or object())

    def _read_stop(self, answer: Any, kind: Any) -> None:
        figures = self._figures
        choices = list_at(answer, "choices")
        first = next((choice for choice in choices if not own(choice, "index")), None)
        word = text_in(first, "finish_reason finishReason") or text_in(answer, _STOP)
        if not word and own(answer, "prompt_feedback.block_reason promptFeedback.blockReason") is not None:
            word = "refusal"
        if not word and kind == "error":
            word = "error"
        if word:
            figures.stop_reason = stop_reason_of(word)
        # The first wire says `tool_calls` itself; some others say `stop` even if a tool was called.
        if figures.stop_reason == "stop" and figures.tool_calls > 0 and not choices:
            figures.stop_reason = "tool_calls"


def _is_only_text(part: Any) -> bool:
    """
    True for a part of a stream that certainly contains only text: nearly all do, and the host waits while each is read. In the second wire and
    Responses, the type says so; in the first wire, it is a chunk whose one choice continues and calls no tool.
    """
    fields, more = _fields_and_more(part)
    if fields is None:
        return False
    kind = fields.get("type")
    if isinstance(kind, str):
        return kind.endswith("delta") and kind != "message_delta"
    if "data" in fields and "choices" not in fields:  # Mistral's SDK
        fields, more = _fields_and_more(fields["data"])
    if fields is None or more or fields.get("usage") is not None or fields.get("x_groq") is not None:
        return False
    choices = fields.get("choices")
    if type(choices) is not list or len(choices) != 1:
        return False
    choice, more = _fields_and_more(choices[0])
    if choice is None or more or choice.get("finish_reason") is not None or "message" in choice:
        return False
    delta, more = _fields_and_more(choice.get("delta"))
    return delta is not None and not more and delta.get("tool_calls") is None and delta.get("function_call") is None


def _fields_and_more(found: Any) -> Tuple[Optional[Dict[str, Any]], bool]:
    """The fields of a dictionary or of a model, and whether it has fields that its model does not name."""
    if type(found) is dict:
        return found, False
    try:
        fields: Dict[str, Any] = _field(found, "__dict__")
    except AttributeError:
        return None, False
    try:
        return fields, bool(_field(found, "__pydantic_extra__"))
    except AttributeError:
        return fields, False


def _answer_in(part: Any) -> Any:
    """The answer that a part carries: the part itself, or what a stream's event wraps (second wire, Responses, Mistral's SDK)."""
    for name in ("message", "response", "data"):
        inner = own(part, name)
        if inner is not None and own(inner, "model usage") is not None:
            return inner
    return part


def _or(found: Any, default: Any) -> Any:
    return default if found is None else found
