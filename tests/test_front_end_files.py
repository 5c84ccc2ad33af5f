"""Rules that every template, style sheet and script keeps; read from the files themselves."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from tests.page_reading import Page, read

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static" / "js").glob("*.js"))
STYLES = sorted((ROOT / "static" / "css").glob("*.css"))
SPRITE = (ROOT / "static" / "icons" / "sprite.svg").read_text()

_COMMENT = re.compile(r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}", re.DOTALL)
_TRANSLATED = re.compile(r"\{% blocktranslate.*?%\}.*?\{% endblocktranslate %\}", re.DOTALL)
_TAG = re.compile(r"\{[%{].*?[%}]\}", re.DOTALL)
_LETTER = re.compile(r"[^\W\d_]")
# What a person reads or hears of an element besides its text.
_SPOKEN = ("aria-label", "title", "placeholder", "alt")


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _source(path: Path) -> str:
    return _COMMENT.sub("", path.read_text())


def _literal(path: Path) -> Page:
    """Return a template's own HTML, without what its tags put in."""
    return read(_TAG.sub("", _TRANSLATED.sub("", _source(path))))


@pytest.mark.parametrize("path", TEMPLATES, ids=_name)
def test_a_template_has_no_inline_script_style_or_handler(path: Path) -> None:
    page = _literal(path)
    assert [element for element in page.elements if element.tag == "style"] == []
    assert [
        element for element in page.elements if element.tag == "script" and "src" not in element.attributes
    ] == []
    names = {name for element in page.elements for name in element.attributes}
    assert {name for name in names if name == "style" or re.match(r"on[a-z]|hx-on", name)} == set()


@pytest.mark.parametrize("path", TEMPLATES, ids=_name)
def test_all_words_of_a_template_can_be_translated(path: Path) -> None:
    page = _literal(path)
    spoken = [value for name in _SPOKEN for value in page.values_of(name)]
    assert {text for text in [*page.texts, *spoken] if _LETTER.search(text)} <= {"Citeweb", "· Citeweb"}


@pytest.mark.parametrize("path", TEMPLATES, ids=_name)
def test_a_template_names_only_static_files_and_icons_that_exist(path: Path) -> None:
    source = _source(path)
    files = re.findall(r"\{% static '([^']+)' %\}", source)
    assert [name for name in files if finders.find(name) is None] == []
    icons = re.findall(r'icon\.html" with name="([^"]+)"', source)
    assert [name for name in icons if f'<symbol id="{name}"' not in SPRITE] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=_name)
def test_a_script_is_short_and_makes_no_html(path: Path) -> None:
    source = path.read_text()
    assert len(source.splitlines()) <= 150
    assert (
        re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", source)
        == []
    )


def test_every_script_is_loaded_by_a_template() -> None:
    sources = "".join(map(_source, TEMPLATES))
    assert [path.name for path in SCRIPTS if f"'js/{path.name}'" not in sources] == []


@pytest.mark.parametrize("path", STYLES, ids=_name)
def test_a_style_sheet_mirrors_itself(path: Path) -> None:
    """Logical properties only; a picture of a page is the exception, which has the same sides in all languages."""
    source = re.sub(r"\.page-image__overlay \{.*?\}", "", path.read_text())
    assert re.findall(r"(?:margin|padding|border)-(?:left|right)\b|[\s;{](?:left|right)\s*:", source) == []
    assert re.findall(r"url\(\s*['\"]?(?:https?:|//|data:)|@import", source) == []
