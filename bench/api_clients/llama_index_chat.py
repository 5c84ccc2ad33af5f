"""LlamaIndex's OpenAILike and OpenAIResponses against us, whole and streamed."""

import os
from importlib.metadata import version

from llama_index.core.llms import ChatMessage
from llama_index.llms.openai import OpenAIResponses
from llama_index.llms.openai_like import OpenAILike

where = {"api_base": os.environ["BASE_URL"], "api_key": os.environ["API_KEY"]}
asked = [ChatMessage(role="user", content="How much is the Enterprise plan?")]
model = OpenAILike(model="citeweb-quote", is_chat_model=True, **where)
whole = model.chat(asked).message.content
assert "[^1]" in whole, whole
assert "".join(piece.delta or "" for piece in model.stream_chat(asked)) == whole
print(f"llama-index-llms-openai-like {version('llama-index-llms-openai-like')}: chat")
try:
    responses = OpenAIResponses(model="citeweb-quote", context_window=32_000, **where)
    assert "[^1]" in responses.chat(asked).message.content
    print(f"llama-index-llms-openai {version('llama-index-llms-openai')}: responses")
except ValueError as error:
    print(f"llama-index-llms-openai: refuses the model's name itself: {error!s:.80}")
