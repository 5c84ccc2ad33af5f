"""What can go wrong with a model: one sentence for people, the detail for staff."""

import re
from collections.abc import Mapping

DETAIL_LIMIT = 600

_SECRETS = (
    re.compile(r"\b(?:sk|pk|rk|gsk|xai|pplx|key)[-_][A-Za-z0-9*_\-]{6,}"),
    re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=\-]{6,}"),
    re.compile(
        r"(?i)\b(api[-_ ]?key|token|secret|password|authorization)([\"']?\s*[:=]\s*[\"']?)[^\s\"',;&]{4,}"
    ),
    re.compile(r"//[^/\s:@]+:[^/\s@]+@"),
)
_HTML = re.compile(r"(?is)<(script|style)\b.*?</\1\s*>|<!--.*?-->|<[a-z!/][^>]*>?")
_TOO_LONG = re.compile(
    r"(?i)context[ _-]?(length|window|size)|maximum context|too many tokens|prompt is too long|"
    r"(input|prompt)[^.]{0,40}(too long|exceeds|longer than)|reduce the length"
)
_FILTERED = re.compile(
    r"(?i)content[ _-]?(filter|policy|management)|responsible ?ai|safety|moderation|invalid_prompt"
)
_QUOTA = re.compile(
    r"(?i)insufficient[ _-]?(quota|balance|credit|funds)|billing|exceeded your current quota|payment"
)
_RATE = re.compile(r"(?i)rate[ _-]?limit|too many requests")
_AUTH = re.compile(
    r"(?i)invalid[ _-]?api[ _-]?key|incorrect api key|unauthori[sz]ed|authentication|permission"
)


def gettext_noop(text: str) -> str:
    """Mark for makemessages, which goes by this name; Django's own needs settings, even to do nothing."""
    return text


class ModelError(Exception):
    """A model gave no whole answer.

    `public` is plain text for people, marked for translation. `detail` is for staff: secrets masked, no
    HTML, at most DETAIL_LIMIT characters. `code` is a stable name for audit records and the API.
    """

    code = "model_error"
    public = gettext_noop("The model could not answer. Please try again.")
    retryable = False

    def __init__(
        self, detail: str = "", *, retry_after: float | None = None, secrets: tuple[str, ...] = ()
    ) -> None:
        self.detail = plain_detail(detail, secrets)
        self.retry_after = retry_after
        super().__init__(f"{self.code}: {self.detail}")

    def hide(self, secrets: tuple[str, ...]) -> None:
        """Take secrets out of the detail that whoever raised the error did not know."""
        self.detail = plain_detail(self.detail, secrets)
        self.args = (f"{self.code}: {self.detail}",)


class AuthFailed(ModelError):
    """The key is missing, wrong or not allowed to use the model."""

    code = "auth"
    public = gettext_noop(
        "The model service refused our access. An administrator has to check the model settings."
    )


class RateLimited(ModelError):
    """Too many requests; `retry_after` is in seconds if the service said so."""

    code = "rate_limit"
    public = gettext_noop("The model service is handling too many requests. Please try again in a moment.")
    retryable = True


class QuotaExhausted(ModelError):
    """The account has no credit left; waiting does not help."""

    code = "quota"
    public = gettext_noop("The model account has no credit left. An administrator has to renew it.")


class ContextTooLong(ModelError):
    """The prompt does not fit into the model."""

    code = "context_length"
    public = gettext_noop(
        "The question and its sources are too long for this model. Start a new chat or shorten it."
    )


class ContentFiltered(ModelError):
    """The provider's filter refused the request or the answer."""

    code = "content_filter"
    public = gettext_noop("The model's content filter stopped this answer.")


class RequestRejected(ModelError):
    """The service understood us and said no: unknown model, unknown parameter."""

    code = "rejected"
    public = gettext_noop(
        "The model service did not accept the request. An administrator has to check the model settings."
    )


class Unavailable(ModelError):
    """No connection, or an error on the service's side."""

    code = "unavailable"
    public = gettext_noop("The model service can't be reached at the moment. Please try again.")
    retryable = True


class TimedOut(ModelError):
    """Silence for longer than the model's settings allow."""

    code = "timeout"
    public = gettext_noop("The model took too long to answer. Please try again.")


class CutStream(ModelError):
    """The stream ended before the model had finished."""

    code = "cut"
    public = gettext_noop("The connection to the model broke off before the answer was complete.")
    retryable = True


class BadResponse(ModelError):
    """What came back is not what the API promises."""

    code = "bad_response"
    public = gettext_noop("The model service sent an answer that can't be read.")


def plain_detail(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Return `text` without secrets, markup and control characters, cut to DETAIL_LIMIT."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "***")
    for pattern in _SECRETS:
        text = pattern.sub(_mask, text)
    text = _HTML.sub(" ", text)
    text = "".join(char if char.isprintable() else " " for char in text)
    text = " ".join(text.split())
    return text if len(text) <= DETAIL_LIMIT else text[: DETAIL_LIMIT - 1] + "…"


def _mask(match: re.Match[str]) -> str:
    if match.re is _SECRETS[3]:
        return "//***@"
    kept = "".join(group for group in match.groups() if group)
    return f"{kept} ***" if match.re is _SECRETS[1] else f"{kept}***"


def from_status(
    status: int, body: object, *, retry_after: float | None, secrets: tuple[str, ...]
) -> ModelError:
    """Return the error for an HTTP answer of 400 or above, whose decoded body is `body`."""
    words = describe(body)
    kind = _by_status(status, words)
    return kind(f"HTTP {status}: {words}", retry_after=retry_after, secrets=secrets)


def from_payload(error: object, *, secrets: tuple[str, ...]) -> ModelError:
    """Return the error for an error object inside a stream or a failed response."""
    words = describe(error)
    status = _status_in(error)
    kind = _by_status(status, words) if status else _by_words(words)
    return kind(words, secrets=secrets)


def too_long(words: str) -> bool:
    """Say whether an error text means that the prompt does not fit."""
    return _TOO_LONG.search(words) is not None


def describe(body: object) -> str:
    """Return one line of what an error body says: {"error": {...}}, {"message"}, {"detail"}, or text."""
    if isinstance(body, Mapping):
        inner = body.get("error")
        if inner:
            return describe(inner)
        keys = ("code", "type", "param", "message", "detail", "error_description", "reason")
        said = [
            f"{key}={body[key]}" if key not in ("message", "detail") else str(body[key])
            for key in keys
            if body.get(key)
        ]
        raw = body.get("metadata")
        if isinstance(raw, Mapping) and raw.get("raw"):
            said.append(str(raw["raw"]))
        return " ".join(said) or "no reason given"
    return str(body) if body else "no reason given"


def _status_in(error: object) -> int:
    if isinstance(error, Mapping):
        for key in ("status", "status_code", "code"):
            value = error.get(key)
            if str(value).isdigit() and 400 <= int(str(value)) < 600:
                return int(str(value))
    return 0


def _by_status(status: int, words: str) -> type[ModelError]:
    if status in (401, 403):
        return ContentFiltered if status == 403 and _FILTERED.search(words) else AuthFailed
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(words)):
        return QuotaExhausted
    if status == 429:
        return RateLimited
    if status == 413 or (status < 500 and too_long(words)):
        return ContextTooLong
    if status == 408:
        return TimedOut
    if status in (409, 425) or status >= 500:
        return Unavailable
    return ContentFiltered if _FILTERED.search(words) else RequestRejected


def _by_words(words: str) -> type[ModelError]:
    table = (
        (_QUOTA, QuotaExhausted),
        (_RATE, RateLimited),
        (_TOO_LONG, ContextTooLong),
        (_FILTERED, ContentFiltered),
        (_AUTH, AuthFailed),
    )
    return next((kind for pattern, kind in table if pattern.search(words)), Unavailable)
