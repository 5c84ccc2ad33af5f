"""Which models there are: built in, from the environment, from a file; and bad settings that fail loudly."""

from pathlib import Path

import pytest

from chat.core.tokens import TokenWeights
from chat.providers.base import (
    Api,
    HostedTool,
    MarkerStyle,
    ModelSettings,
    ReasoningTags,
    Retries,
    Role,
    Timeouts,
)
from chat.providers.chat_completions import ChatClient
from chat.providers.quote import QuoteClient
from chat.providers.registry import ModelConfigError, client_for, default_model, load_models
from chat.providers.responses import ResponsesClient

KEY = "sk-proj-VerySecretKey1234567890"


def from_file(tmp_path: Path, text: str) -> dict[str, ModelSettings]:
    path = tmp_path / "models.toml"
    path.write_text(text, "utf-8")
    return load_models({}, path)


def test_it_works_without_anything() -> None:
    models = load_models({}, None)
    assert list(models) == ["citeweb-quote"]
    assert default_model(models, {}) == "citeweb-quote"
    assert isinstance(client_for(models["citeweb-quote"]), QuoteClient)


def test_the_environment_defines_one_more() -> None:
    environ = {"CITEWEB_MODEL": "gpt-5.5", "OPENAI_API_KEY": KEY}
    models = load_models(environ, None)
    assert list(models) == ["citeweb-quote", "gpt-5.5"]
    model = models["gpt-5.5"]
    assert (model.api, model.base_url, model.upstream_name) == (
        Api.RESPONSES,
        "https://api.openai.com/v1",
        "gpt-5.5",
    )
    assert model.key_variable == "OPENAI_API_KEY"
    assert default_model(models, environ) == "gpt-5.5"
    assert isinstance(client_for(model), ResponsesClient)


def test_another_service_speaks_chat_unless_told_otherwise() -> None:
    environ = {"CITEWEB_MODEL": "llama", "OPENAI_BASE_URL": "http://127.0.0.1:11434/v1/"}
    model = load_models(environ, None)["llama"]
    assert (model.api, model.base_url, model.key_variable) == (Api.CHAT, "http://127.0.0.1:11434/v1", "")
    assert (model.rules_role, model.token_limit_field) == (Role.SYSTEM, "max_tokens")
    assert isinstance(client_for(model), ChatClient)
    told = load_models({**environ, "CITEWEB_MODEL_API": "responses"}, None)["llama"]
    assert told.api is Api.RESPONSES


def test_the_key_is_never_kept() -> None:
    models = load_models({"CITEWEB_MODEL": "gpt-5.5", "OPENAI_API_KEY": KEY}, None)
    assert KEY not in repr(models)


def test_a_file_defines_several(tmp_path: Path) -> None:
    models = from_file(
        tmp_path,
        """
        [models."gpt-5.5"]
        label = "GPT 5.5"
        key_variable = "OPENAI_API_KEY"
        tenants = ["aurora"]
        [[models."gpt-5.5".hosted_tools]]
        type = "web_search"
        search_context_size = "low"

        [models.local]
        api = "chat"
        base_url = "http://127.0.0.1:8080/v1"
        upstream_name = "qwen3"
        marker_style = "ascii"
        context_tokens = 8192
        max_output_tokens = 1024
        temperature = 0
        line_numbers = true
        token_weights = "older"
        blocks_role = "developer"
        reasoning_tags = "implied"
        merge_roles = true
        extra_body = { top_k = 20 }
        timeouts = { first_event = 30 }
        retries = { attempts = 1 }
        """,
    )
    assert list(models) == ["citeweb-quote", "gpt-5.5", "local"]
    assert models["gpt-5.5"].hosted_tools == (HostedTool("web_search", {"search_context_size": "low"}),)
    assert models["gpt-5.5"].allows("aurora")
    assert not models["gpt-5.5"].allows("borealis")
    local = models["local"]
    assert (local.api, local.upstream_name, local.marker_style) == (Api.CHAT, "qwen3", MarkerStyle.ASCII)
    assert (local.line_numbers, local.blocks_role, local.merge_roles) == (True, Role.DEVELOPER, True)
    assert local.token_weights is TokenWeights.OLDER
    assert local.reasoning_tags is ReasoningTags.IMPLIED
    assert (local.timeouts, local.retries) == (Timeouts(first_event=30), Retries(attempts=1))
    assert local.prompt_tokens == 8192 - 1024
    assert local.allows("anybody")


def test_the_environment_can_choose_one_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text('[models.local]\nbase_url = "http://127.0.0.1:8080/v1"', "utf-8")
    environ = {"CITEWEB_MODEL": "local"}
    models = load_models(environ, path)
    assert list(models) == ["citeweb-quote", "local"]
    assert default_model(models, environ) == "local"


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"CITEWEB_MODEL": "gpt-5.5"}, "neither OPENAI_API_KEY nor OPENAI_BASE_URL is set"),
        ({"CITEWEB_MODEL": "m", "OPENAI_API_KEY": KEY, "CITEWEB_MODEL_API": "soap"}, "api must be one of"),
        (
            {"CITEWEB_MODEL": "m", "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "ftp://x"},
            "base_url must be an http",
        ),
        ({"CITEWEB_MODEL": "m", "OPENAI_BASE_URL": "https://me:pw@host/v1"}, "without user name"),
        ({"CITEWEB_MODEL": "a b"}, "OPENAI"),
    ],
)
def test_a_wrong_environment_fails_loudly(environ: dict[str, str], says: str) -> None:
    with pytest.raises(ModelConfigError, match=says) as caught:
        load_models(environ, None)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not toml", "models.toml"),
        ("[model.x]", "expected tables named"),
        ("models = 3", "expected tables named"),
        ("[models]\nx = 3", "models.x is not a table"),
        ("[models.citeweb-quote]", "belongs to the built-in model"),
        ("[models.x]\nmarker = 1", "unknown setting marker"),
        (f'[models.x]\napi_key = "{KEY}"', "a key belongs into an environment variable"),
        (f'[models.x]\nkey_variable = "{KEY}"', "must be the NAME of an environment variable"),
        ('[models.x]\nlabel = ""', "label must be text"),
        ('[models.x]\nbase_url = "example.org"', "base_url must be an http"),
        ('[models.x]\napi = "quote"', "api must be one of responses, chat"),
        ("[models.x]\ncontext_tokens = 0", "context_tokens must be a whole number"),
        ("[models.x]\ncontext_tokens = true", "context_tokens must be a whole number"),
        ("[models.x]\ntemperature = 9", "temperature must be a number"),
        ('[models.x]\ntoken_weights = "exact"', "token_weights must be one of current, older"),
        ('[models.x]\nline_numbers = "yes"', "line_numbers must be true or false"),
        ('[models.x]\nmarker_style = "emoji"', "marker_style must be one of"),
        ('[models.x]\nblocks_role = "assistant"', "blocks_role must be one of"),
        ('[models.x]\ntenants = "aurora"', "tenants must be a list"),
        ("[models.x]\ntimeouts = { first_event = 0 }", "timeouts: first_event"),
        ("[models.x]\ntimeouts = { forever = 3 }", "timeouts: forever"),
        ("[models.x]\nretries = { attempts = 2.5 }", "attempts must be a whole number"),
        ('[models.x]\nhosted_tools = [{ type = "shell" }]', "type must be one of"),
        ('[models.x]\nhosted_tools = [{ type = "file_search" }]', "needs vector_store_ids"),
        ('[models."a b"]', "the name must be"),
    ],
)
def test_a_wrong_file_fails_loudly(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ModelConfigError, match=says) as caught:
        from_file(tmp_path, text)
    assert KEY not in str(caught.value)


def test_a_missing_file_fails_loudly(tmp_path: Path) -> None:
    with pytest.raises(ModelConfigError, match=r"missing\.toml"):
        load_models({}, tmp_path / "missing.toml")


def test_a_default_that_is_gone_fails_loudly() -> None:
    with pytest.raises(ModelConfigError, match="'gone', which is not configured"):
        default_model(load_models({}, None), {"CITEWEB_MODEL": "gone"})
