"""LangChain's ChatOpenAI against us, both APIs, whole and streamed."""

import os
from importlib.metadata import version

from langchain_openai import ChatOpenAI

for api in (False, True):
    model = ChatOpenAI(
        model="citeweb-quote",
        base_url=os.environ["BASE_URL"],
        api_key=os.environ["API_KEY"],
        use_responses_api=api,
    )
    question = "How much is the Enterprise plan?"
    whole = model.invoke(question).text
    assert "[^1]" in str(whole), whole
    pieces = [chunk.text for chunk in model.stream(question)]
    assert "".join(map(str, pieces)) == str(whole)
    assert len(pieces) > 3
print(f"langchain-openai {version('langchain-openai')}: both APIs")
