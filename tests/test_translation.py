"""The interface in Persian: a whole catalogue in good spelling, and pages and sentences that use it."""

import ast
import gettext
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from django.utils import translation
from django.utils.translation.template import templatize

from chat.models import Turn
from citeweb.threads import in_thread
from citeweb.wording import FORMS, reworded
from sources.core.extract import ExtractionError, FailureReason, explain
from tests.chat_socket import chat_page
from tests.citing import answered, cite
from tests.conftest import House
from tests.documents import put
from tests.model_server import ModelServer, Status
from tests.page_reading import read
from tests.web_server import WebServer, session_cookie

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "citeweb/locale/fa/LC_MESSAGES/django.po"
MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
PERSIAN = {"Accept-Language": "fa-IR,fa;q=0.9"}
# Names of things, of people's making or of keys, that are the same in any language.
NAMES = {
    "Citeweb",
    "English",
    "PDF",
    "API",
    "Markdown",
    "Enter",
    "Shift",
    "Esc",
    "Aurora",
    "Borealis",
    "Open",
    "Restricted",
}
STRING = r"u?((?:'(?:[^'\\]|\\.)*')|(?:\"(?:[^\"\\]|\\.)*\"))"
CALL = re.compile(rf"(?:\bn?gettext|\b_)\(\s*{STRING}")
PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sd]|<[^>]+>")


@dataclass(frozen=True)
class Entry:
    """A message of the catalogue with its Persian, one form or one for each number."""

    msgid: str
    forms: tuple[str, ...]
    flags: str


def entries() -> list[Entry]:
    return [entry for block in CATALOGUE.read_text().split("\n\n") if (entry := _entry(block)).msgid]


def _entry(block: str) -> Entry:
    flags = " ".join(line for line in block.splitlines() if line.startswith("#,"))
    found: dict[str, str] = {}
    keyword = ""
    for line in block.splitlines():
        if match := re.match(r'(msg\w+(?:\[\d\])?) (".*")', line):
            keyword = match[1]
            found[keyword] = ast.literal_eval(match[2])
        elif line.startswith('"'):
            found[keyword] += ast.literal_eval(line)
    forms = tuple(text for name, text in found.items() if name.startswith("msgstr"))
    return Entry(found.get("msgid", ""), forms, flags)


def sources() -> Iterator[Path]:
    for folder in ("citeweb", "chat", "sources"):
        yield from (ROOT / folder).rglob("*.py")


def marked() -> set[str]:
    """Return every message that Python code or a template marks, as makemessages finds them."""
    found: set[str] = set()
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MARKS:
                found.update(strings(node.args[0]))
    for path in (ROOT / "templates").rglob("*.html"):
        found.update(ast.literal_eval(text) for text in CALL.findall(templatize(path.read_text())))
    return found


def strings(node: ast.AST) -> list[str]:
    """Return the strings that an expression may give; what varies in them becomes "7 / 8"."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=values):
            return [
                "".join(str(part.value) if isinstance(part, ast.Constant) else "7 / 8" for part in values)
            ]
        case ast.IfExp(body=body, orelse=orelse):
            return strings(body) + strings(orelse)
    return []


ENTRIES = entries()
FORM_IDS = [(entry.msgid, form) for entry in ENTRIES for form in entry.forms]


def test_every_marked_message_is_in_the_catalogue_and_no_other() -> None:
    """After a change: `make messages`, write the Persian, `make messages`."""
    known = {entry.msgid for entry in ENTRIES}
    assert marked() - known == set()
    assert known - marked() == set()


def test_every_message_has_its_persian_and_none_is_a_guess() -> None:
    assert [entry.msgid for entry in ENTRIES if not all(entry.forms) or not entry.forms] == []
    assert [entry.msgid for entry in ENTRIES if "fuzzy" in entry.flags] == []


def test_the_compiled_catalogue_is_the_written_one() -> None:
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for entry in ENTRIES:
        if len(entry.forms) == 1:
            assert compiled.gettext(entry.msgid) == entry.forms[0]
        else:
            assert tuple(compiled.ngettext(entry.msgid, "", n) for n in (1, 2)) == entry.forms


def test_the_persian_keeps_what_is_filled_in() -> None:
    wrong = [
        (msgid, form)
        for msgid, form in FORM_IDS
        if sorted(PLACEHOLDER.findall(msgid)) != sorted(PLACEHOLDER.findall(form))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("fault", "pattern"),
    [
        ("an Arabic yeh, kaf, teh marbuta or digit", "[\u064a\u0643\u0629\u0660-\u0669]"),
        ("a space where a half-space belongs", r"\b(?:ن?می) \w|\w ها(?:ی|یی)?\b"),
        ("a half-space beside a space or an end", "\u200c(?:[\\s.،؛؟]|$)|(?:^|\\s)\u200c"),
        ("a quotation mark of another language", '["“”]'),
        ("a comma, semicolon or question mark of another language", r"[\u0600-\u06ff][,;?]"),
        ("a space before a stop or a double one", r" [.،؛:؟!]|  "),
        ("an invisible sign of direction", "[\u200e\u200f\u202a-\u202e\u2066-\u2069]"),
    ],
)
def test_the_spelling_is_persian(fault: str, pattern: str) -> None:
    assert [form for _msgid, form in FORM_IDS if re.search(pattern, form)] == [], fault


def said(html: str) -> Iterator[str]:
    """Return what a reader of a page sees or hears."""
    page = read(html)
    yield from (text for text in page.texts if not text.startswith("{"))
    for attribute in ("aria-label", "title", "placeholder", "alt", "data-announce", "data-too-many"):
        yield from page.values_of(attribute)


def english(html: str) -> list[str]:
    """Return the Latin words of a page that are nobody's name."""
    words = (word for text in said(html) for word in re.findall(r"[A-Za-z][\w@.'’-]+", text))
    return [word for word in words if word not in NAMES and "@" not in word and ".example" not in word]


def in_persian(client: Client, address: str) -> HttpResponse:
    response = client.get(address, headers=PERSIAN)
    assert isinstance(response, HttpResponse)
    root = read(response.content.decode()).elements[0]
    assert (root.tag, root.attributes["lang"], root.attributes["dir"]) == ("html", "fa", "rtl")
    return response


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/accounts/login/", "/accounts/password/reset/", "/nothing/"])
def test_the_pages_before_the_sign_in(client: Client, address: str) -> None:
    assert english(in_persian(client, address).content.decode()) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/sources/",
        "/sources/new/",
        "/accounts/password/change/",
        "/accounts/email/",
        "/accounts/logout/",
    ],
)
def test_the_pages_after_the_sign_in(client: Client, neighbour: House, address: str) -> None:
    # The demo's own first questions, which a tenant named Aurora would get, are in several languages.
    client.force_login(neighbour.owner.user)
    assert english(in_persian(client, address).content.decode()) == []


@pytest.mark.django_db
def test_the_pages_of_a_document_and_of_a_doubtful_citation(client: Client, house: House) -> None:
    document = put(house.open_shelf, "سیاست سفر", "سقف هزینه ۴۰ یورو است.\nبیش از آن پرداخت نمی‌شود.")
    turn = answered(house.owner)
    citation = cite(
        turn,
        document,
        "سقف هزینه ۴۰ یورو است.",
        verdict="unsupported",
        reasons=["number differs: 50 / 40", "negated in source"],
    )
    turn.text, turn.question, turn.conversation.title = "پاسخ", "پرسش", "گفت‌وگو"
    turn.save()
    turn.conversation.save()
    client.force_login(house.owner.user)
    for address in (f"/d/{document.pk}/", f"/d/{document.pk}/delete/", f"/c/{turn.conversation_id}/"):
        # The stored file name of this document ends in txt.
        assert set(english(in_persian(client, address).content.decode())) <= {"txt"}
    page = in_persian(client, f"/cite/{citation.pk}/").content.decode()
    assert english(page) == []
    assert (
        "این بخش جمله را تأیید نمی‌کند (عدد فرق دارد: در پاسخ «50»، در منبع «40»؛ منبع آن را نفی می‌کند)"
        in said(page)
    )


@pytest.mark.django_db
def test_a_reader_may_choose_the_language(client: Client, house: House) -> None:
    client.force_login(house.owner.user)
    response = client.post("/language/", {"language": "fa", "next": "/"})
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    page = read(client.get("/").content.decode())
    assert page.elements[0].attributes["lang"] == "fa"
    # Each language goes by its own name, so that whoever is lost in another one finds home.
    assert {"English", "فارسی"} <= set(page.texts)


@pytest.mark.django_db(transaction=True)
async def test_a_failed_model_explains_itself_in_the_askers_language(
    server: WebServer, house: House, model: ModelServer
) -> None:
    model.script([Status(401, {"error": {"message": "bad key"}})])
    cookie = f"{await in_thread(session_cookie, house.stranger.user)}; {settings.LANGUAGE_COOKIE_NAME}=fa"
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask("چه زمانی؟", model="patient-model")
        end = await page.ended("failed")
    sentence = "سرویس مدل اجازهٔ دسترسی نداد. یکی از مدیران باید تنظیمات مدل را بررسی کند."
    turn = await in_thread(Turn.objects.get)
    assert turn.error == sentence
    assert sentence in end
    assert "تلاش دوباره" in read(end).texts


@pytest.mark.parametrize("reason", FailureReason)
def test_a_failed_upload_is_explained(reason: FailureReason) -> None:
    with translation.override("fa"):
        for sentence in (
            explain(reason).problem,
            explain(reason).remedy,
            str(ExtractionError(reason)),
        ):
            assert translation.gettext(sentence) != sentence


def reasons() -> list[str]:
    """Return every sentence that the support check may give as a reason, read off its source."""
    found: list[str] = []
    for path in (ROOT / "chat/core").glob("support*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            named = getattr(node.func, "id", "") == "Finding"
            listed = ast.unparse(node.func) == "reasons.append"
            found += strings(node.args[0]) if named or listed else []
    return found


def test_the_reasons_are_found() -> None:
    assert len(set(reasons())) >= 12


@pytest.mark.parametrize("reason", sorted(set(reasons())))
def test_a_reason_of_the_support_check_has_its_persian(reason: str) -> None:
    with translation.override("fa"):
        assert not re.search("[A-Za-z]", reworded(reason))
    with translation.override("en"):
        assert reworded(reason) == reason


@pytest.mark.parametrize(
    ("sentence", "persian"),
    [
        (
            "Page 3 has no text; what stands there can't be found or cited.",
            "صفحهٔ 3 متن ندارد؛ آنچه در آن است نه پیدا می‌شود و نه می‌توان به آن ارجاع داد.",
        ),
        (
            "Pages 1, 2 and 5 more have a damaged text layer; words there may be wrong.",
            "لایهٔ متن صفحه‌های 1، 2 و 5 صفحهٔ دیگر آسیب دیده است؛ شاید واژه‌های آن‌ها نادرست باشند.",
        ),
        (
            "The file does not say its character encoding; it was read as cp1256, some characters may be wrong.",
            "فایل کدگذاری نویسه‌های خود را نمی‌گوید؛ با cp1256 خوانده شد و شاید برخی نویسه‌ها نادرست باشند.",
        ),
        ("differs: in May / in June", "فرق دارد: در پاسخ «in May»، در منبع «in June»"),
    ],
)
def test_what_varies_in_a_sentence_is_kept(sentence: str, persian: str) -> None:
    with translation.override("fa"):
        assert reworded(sentence) == persian


def test_an_unknown_or_hostile_sentence_stays_as_it_is() -> None:
    with translation.override("fa"):
        assert reworded("%(claim)s is odd") == "%(claim)s is odd"
        assert reworded("number not in source: %(source)s %d") == "این عدد در منبع نیست: «%(source)s %d»"


def test_no_form_is_mistaken_for_another() -> None:
    for form in FORMS:
        sentence = re.sub(r"%\(\w+\)s", "7", form)
        with translation.override("en"):
            assert reworded(sentence) == sentence
