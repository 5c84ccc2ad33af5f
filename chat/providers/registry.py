"""Which models there are: the built-in one, one from the environment, several from a TOML file."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from chat.core.tokens import TokenWeights
from chat.providers.base import (
    Api,
    HostedTool,
    MarkerStyle,
    ModelClient,
    ModelSettings,
    ReasoningTags,
    Retries,
    Role,
    Timeouts,
)
from chat.providers.chat_completions import ChatClient
from chat.providers.errors import gettext_noop
from chat.providers.quote import QuoteClient, Similarity
from chat.providers.responses import ResponsesClient

__all__ = ["QUOTE_MODEL", "ModelConfigError", "ModelSettings", "client_for", "default_model", "load_models"]

QUOTE_MODEL = "citeweb-quote"
OPENAI_URL = "https://api.openai.com/v1"

_BUILT_IN = ModelSettings(
    name=QUOTE_MODEL, label=gettext_noop("Quotes from the documents"), api=Api.QUOTE, context_tokens=1_000_000
)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_HOSTED = ("web_search", "web_search_preview", "file_search")
_LIMIT_FIELDS = ("max_tokens", "max_completion_tokens")

_Choice = TypeVar("_Choice", bound=StrEnum)


class ModelConfigError(ValueError):
    """A setting of a model is wrong. The message names the place and the setting, never a key."""


def load_models(environ: Mapping[str, str], models_file: Path | None) -> dict[str, ModelSettings]:
    """Return all models by name, the built-in one first; raises ModelConfigError."""
    models = {QUOTE_MODEL: _BUILT_IN}
    for settings in _from_file(models_file) if models_file is not None else ():
        if settings.name in models:
            raise ModelConfigError(f"{models_file}: the name {settings.name!r} belongs to the built-in model")
        models[settings.name] = settings
    wanted = _wanted(environ)
    if wanted not in models:
        models[wanted] = _from_environment(wanted, environ)
    return models


def default_model(models: Mapping[str, ModelSettings], environ: Mapping[str, str]) -> str:
    """Return the name of the model that new conversations start with; raises ModelConfigError."""
    wanted = _wanted(environ)
    if wanted not in models:
        raise ModelConfigError(f"CITEWEB_MODEL names {wanted!r}, which is not configured")
    return wanted


def _wanted(environ: Mapping[str, str]) -> str:
    return environ.get("CITEWEB_MODEL", "").strip() or QUOTE_MODEL


def client_for(settings: ModelSettings, *, similarity: Similarity | None = None) -> ModelClient:
    """Return the client for a model; `similarity` helps the quoting model across languages."""
    if settings.api is Api.QUOTE:
        return QuoteClient(similarity)
    return ChatClient() if settings.api is Api.CHAT else ResponsesClient()


def _from_environment(name: str, environ: Mapping[str, str]) -> ModelSettings:
    """Return the model that CITEWEB_MODEL and its companions describe."""
    base_url = environ.get("OPENAI_BASE_URL", "").strip() or OPENAI_URL
    has_key = bool(environ.get("OPENAI_API_KEY", "").strip())
    if base_url == OPENAI_URL and not has_key:
        raise ModelConfigError(
            f"CITEWEB_MODEL is {name!r}, but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set"
        )
    table: dict[str, object] = {"upstream_name": name, "base_url": base_url}
    if has_key:
        table["key_variable"] = "OPENAI_API_KEY"
    if environ.get("CITEWEB_MODEL_API", "").strip():
        table["api"] = environ["CITEWEB_MODEL_API"].strip()
    return _settings("the environment", name, table)


def _from_file(path: Path) -> Iterator[ModelSettings]:
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelConfigError(f"{path}: {error}") from error
    tables = document.pop("models", None)
    if document or not isinstance(tables, dict):
        raise ModelConfigError(f"{path}: expected tables named [models.NAME] and nothing else")
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise ModelConfigError(f"{path}: models.{name} is not a table")
        yield _settings(f"{path}: models.{name}", name, table)


def _settings(place: str, name: str, table: Mapping[str, object]) -> ModelSettings:
    """Check one model's table and fill in what it leaves out."""
    unknown = sorted(set(table) - set(_CHECKS))
    if unknown:
        hint = "; a key belongs into an environment variable" if any("key" in key for key in unknown) else ""
        raise ModelConfigError(f"{place}: unknown setting {', '.join(unknown)}{hint}")
    if not re.fullmatch(r"[\w][\w./:@+-]{0,99}", name):
        raise ModelConfigError(f"{place}: the name must be 1 to 100 letters, digits and . _ - / : @ +")
    checked = {key: _CHECKS[key](f"{place}: {key}", value) for key, value in table.items()}
    base_url = str(checked.get("base_url", OPENAI_URL))
    official = (urlsplit(base_url).hostname or "").endswith("openai.com")
    api = checked.setdefault("api", Api.RESPONSES if official else Api.CHAT)
    checked.setdefault("label", name)
    checked.setdefault("base_url", OPENAI_URL)
    checked.setdefault("upstream_name", name)
    checked.setdefault("context_tokens", 128_000 if official else 32_768)
    checked.setdefault("token_limit_field", _LIMIT_FIELDS[official])
    checked.setdefault("rules_role", Role.DEVELOPER if api is Api.RESPONSES or official else Role.SYSTEM)
    return ModelSettings(name=name, **checked)  # type: ignore[arg-type]  # each value passed its own check


def _text(place: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ModelConfigError(f"{place} must be text")
    return value.strip()


def _url(place: str, value: object) -> str:
    parts = urlsplit(_text(place, value))
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
        raise ModelConfigError(f"{place} must be an http(s) address without user name or query")
    return _text(place, value).rstrip("/")


def _variable(place: str, value: object) -> str:
    if not isinstance(value, str) or not _VARIABLE.fullmatch(value):
        raise ModelConfigError(f"{place} must be the NAME of an environment variable, not a key")
    return value


def _flag(place: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ModelConfigError(f"{place} must be true or false")
    return value


def _count(place: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 100_000_000:
        raise ModelConfigError(f"{place} must be a whole number above 0")
    return value


def _temperature(place: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 2:
        raise ModelConfigError(f"{place} must be a number from 0 to 2")
    return float(value)


def _slugs(place: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ModelConfigError(f"{place} must be a list of tenant slugs")
    return tuple(value)


def _table(place: str, value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ModelConfigError(f"{place} must be a table")
    return value


def _seconds(place: str, value: object, allowed: tuple[str, ...]) -> dict[str, float]:
    table = _table(place, value)
    wrong = [
        key
        for key, number in table.items()
        if key not in allowed
        or isinstance(number, bool)
        or not isinstance(number, int | float)
        or number <= 0
    ]
    if wrong:
        raise ModelConfigError(
            f"{place}: {', '.join(wrong)}: expected numbers above 0 for {', '.join(allowed)}"
        )
    return {key: float(str(number)) for key, number in table.items()}


def _timeouts(place: str, value: object) -> Timeouts:
    return Timeouts(**_seconds(place, value, ("connect", "first_event", "between_events", "after_finish")))


def _retries(place: str, value: object) -> Retries:
    numbers = _seconds(place, value, ("attempts", "first_wait", "longest_wait"))
    attempts = numbers.pop("attempts", Retries().attempts)
    if attempts != int(attempts) or attempts > 10:
        raise ModelConfigError(f"{place}: attempts must be a whole number from 1 to 10")
    return Retries(attempts=int(attempts), **numbers)


def _tools(place: str, value: object) -> tuple[HostedTool, ...]:
    if not isinstance(value, list):
        raise ModelConfigError(f"{place} must be a list of tables")
    return tuple(_tool(place, item) for item in value)


def _tool(place: str, item: object) -> HostedTool:
    options = dict(_table(place, item))
    kind = options.pop("type", None)
    if not isinstance(kind, str) or kind not in _HOSTED:
        raise ModelConfigError(f"{place}: type must be one of {', '.join(_HOSTED)}")
    if kind == "file_search" and not options.get("vector_store_ids"):
        raise ModelConfigError(f"{place}: file_search needs vector_store_ids")
    return HostedTool(kind, options)


def _one_of(kind: type[_Choice], *allowed: _Choice) -> Callable[[str, object], _Choice]:
    def check(place: str, value: object) -> _Choice:
        for choice in allowed:
            if value == choice.value:
                return choice
        raise ModelConfigError(f"{place} must be one of {', '.join(choice.value for choice in allowed)}")

    return check


def _limit_field(place: str, value: object) -> str:
    if value not in _LIMIT_FIELDS:
        raise ModelConfigError(f"{place} must be one of {', '.join(_LIMIT_FIELDS)}")
    return str(value)


_CHECKS: dict[str, Callable[[str, object], object]] = {
    "label": _text,
    "api": _one_of(Api, Api.RESPONSES, Api.CHAT),
    "base_url": _url,
    "key_variable": _variable,
    "upstream_name": _text,
    "marker_style": _one_of(MarkerStyle, *MarkerStyle),
    "context_tokens": _count,
    "token_weights": _one_of(TokenWeights, *TokenWeights),
    "max_output_tokens": _count,
    "temperature": _temperature,
    "rules_role": _one_of(Role, Role.DEVELOPER, Role.SYSTEM),
    "blocks_role": _one_of(Role, Role.USER, Role.DEVELOPER),
    "line_numbers": _flag,
    "merge_roles": _flag,
    "hosted_tools": _tools,
    "numbered_sources": _flag,
    "reasoning_tags": _one_of(ReasoningTags, *ReasoningTags),
    "token_limit_field": _limit_field,
    "tenants": _slugs,
    "timeouts": _timeouts,
    "retries": _retries,
    "extra_body": _table,
}
