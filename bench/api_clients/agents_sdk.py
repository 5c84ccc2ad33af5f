"""OpenAI's Agents SDK against us, both APIs, whole and streamed."""

import asyncio
import os
from importlib.metadata import version

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

set_tracing_disabled(True)
client = AsyncOpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["API_KEY"])
question = "How much is the Enterprise plan?"


async def main() -> None:
    """Run an agent over each API."""
    for kind in (OpenAIChatCompletionsModel, OpenAIResponsesModel):
        agent = Agent(
            name="Reader", instructions="Be brief.", model=kind(model="citeweb-quote", openai_client=client)
        )
        whole = (await Runner.run(agent, question)).final_output
        assert "[^1]" in whole, whole
        streamed = Runner.run_streamed(agent, question)
        async for _event in streamed.stream_events():
            pass
        assert streamed.final_output == whole
    print(f"openai-agents {version('openai-agents')}: both APIs")


asyncio.run(main())
