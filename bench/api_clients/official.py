"""The contract with the official client of any major: `BASE_URL=… API_KEY=… python official.py`."""

import asyncio
import os
from typing import Any

import openai

MODEL = "citeweb-quote"
QUESTION = os.environ.get("QUESTION", "How much is the Enterprise plan?")
WHERE: dict[str, Any] = {
    "base_url": os.environ["BASE_URL"],
    "api_key": os.environ["API_KEY"],
    "max_retries": 0,
}
ASK: dict[str, Any] = {"model": MODEL, "messages": [{"role": "user", "content": QUESTION}]}


def check(text: str, annotations: list[Any], citations: list[Any]) -> None:
    """Text, annotations and citations must say the same."""
    assert citations, "nothing was cited"
    assert annotations, "no annotations"
    for noted in annotations:
        place = noted.get("url_citation") or noted
        number = place["citation_number"]
        assert text[place["start_index"] : place["end_index"]] == f"[^{number}]"
        assert citations[place["document_index"]]["document_index"] == number - 1


def of_chat(done: Any) -> tuple[str, list[Any], list[Any]]:
    """Return text, annotations and citations of a completion."""
    dumped = done.model_dump()
    message = dumped["choices"][0]["message"]
    return message["content"], message["annotations"], dumped.get("citations") or message["citations"]


def of_response(done: Any) -> tuple[str, list[Any], list[Any]]:
    """Return text, annotations and citations of a response."""
    dumped = done.model_dump()
    part = dumped["output"][-1]["content"][0]
    return part["text"], part["annotations"], dumped["citations"]


def raw(chunks: list[Any]) -> tuple[str, list[Any], list[Any]]:
    """Add a raw stream up."""
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    last = next(c for c in chunks if c.choices and c.choices[0].finish_reason).model_dump()
    return text, last["choices"][0]["delta"]["annotations"], last["citations"]


def sync(strict: bool) -> None:
    """Try the synchronous client."""
    client = openai.OpenAI(**WHERE, _strict_response_validation=strict)
    check(*of_chat(client.chat.completions.create(**ASK)))
    check(*raw(list(client.chat.completions.create(**ASK, stream=True))))
    helper = getattr(client.chat.completions, "stream", None) or client.beta.chat.completions.stream
    with helper(**ASK) as stream:
        check(*of_chat(stream.get_final_completion()))
    check(*of_response(client.responses.create(model=MODEL, input=QUESTION)))
    with client.responses.stream(model=MODEL, input=QUESTION) as stream:
        check(*of_response(stream.get_final_response()))


async def later(strict: bool) -> None:
    """Try the asynchronous client."""
    async with openai.AsyncOpenAI(**WHERE, _strict_response_validation=strict) as client:
        check(*of_chat(await client.chat.completions.create(**ASK)))
        check(*raw([c async for c in await client.chat.completions.create(**ASK, stream=True)]))
        check(*of_response(await client.responses.create(model=MODEL, input=QUESTION)))
        async with client.responses.stream(model=MODEL, input=QUESTION) as stream:
            check(*of_response(await stream.get_final_response()))


for strictly in (False, True):
    sync(strictly)
    asyncio.run(later(strictly))
print(f"openai {openai.__version__}: all agree")
