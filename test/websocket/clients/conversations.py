"""
One conversation over WebSocket by each of OpenAI's clients for Python, told as lines of JSON: `conversations.py NAME BASE_URL KEY`. It ends with
the client's own error, if that is what ends it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any, Dict, List

import openai

name, base_url, key = sys.argv[1:]
websocket_url = base_url.replace("http", "ws", 1)
turns_max = 10


def tell(*said: Any) -> None:
    print(json.dumps(said), flush=True)


def client(kind: Any) -> Any:
    return kind(base_url=base_url, websocket_base_url=websocket_url, api_key=key)


def tell_event(event: Any) -> bool:
    """Whether it ends a turn."""
    tell(event.to_dict())
    if event.type == "error":
        sys.exit(3)
    return event.type in ("response.completed", "response.done")


def responses() -> None:
    with client(openai.OpenAI).responses.connect() as connection:
        for _ in range(turns_max):
            connection.response.create(model="gpt-5.2", input="Name a river.", stream_id="lane")
            for event in connection:
                if tell_event(event):
                    break


async def responses_async() -> None:
    async with client(openai.AsyncOpenAI).responses.connect() as connection:
        for _ in range(turns_max):
            await connection.response.create(model="gpt-5.2", input="Name a river.")
            async for event in connection:
                if tell_event(event):
                    break


def realtime() -> None:
    with client(openai.OpenAI).realtime.connect(model="gpt-realtime") as connection:
        for turn in range(turns_max):
            # Every other turn is spoken, and the provider begins its response by itself.
            if turn % 2 == 0:
                connection.response.create(event_id=f"mine_{turn}")
            else:
                connection.input_audio_buffer.append(audio="AAAA")
                connection.input_audio_buffer.commit()
            for event in connection:
                if tell_event(event):
                    break


async def agents() -> None:
    from agents import Agent, Runner, function_tool, set_tracing_disabled
    from agents.models.openai_provider import OpenAIProvider
    from agents.run import RunConfig

    called: List[str] = []

    @function_tool
    def exec_command(cmd: str) -> str:
        called.append(cmd)
        return cmd.upper()

    set_tracing_disabled(True)
    provider = OpenAIProvider(api_key=key, base_url=base_url, websocket_base_url=websocket_url, use_responses_websocket=True)
    agent = Agent(name="river", instructions="Name rivers.", model="gpt-5.2", tools=[exec_command])
    try:
        for _ in range(2):
            result = await Runner.run(agent, "Name a river.", run_config=RunConfig(model_provider=provider))
            told: Dict[str, int] = {"input": result.context_wrapper.usage.input_tokens, "output": result.context_wrapper.usage.output_tokens}
            tell(result.final_output, called, told)
    finally:
        await provider.aclose()


conversation = {"responses": responses, "responses_async": responses_async, "realtime": realtime, "agents": agents}[name]
outcome = conversation()
if outcome is not None:
    asyncio.run(outcome)
