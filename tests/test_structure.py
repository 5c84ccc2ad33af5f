"""What STYLE asks of the tree as a whole, read off the source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("citeweb", "chat", "sources")
# A package may import what stands after it, never what stands before.
ORDER = ("chat", "sources", "citeweb.accounts")
CORES = ("chat/core", "sources/core")
# Extraction reads files in its child process; nothing else of a core touches the world.
IMPURE = re.compile(
    r"^(django|channels|asyncio|socket|subprocess|requests|psycopg|openai|time|random|secrets|os)\b"
)


def sources(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if "migrations" not in path.parts)


def imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def test_imports_point_one_way() -> None:
    wrong = []
    for path in sources(*PACKAGES):
        mine = next((rank for rank, package in enumerate(ORDER) if name_of(path).startswith(package)), None)
        for module, line in imports(path):
            rank = next(
                (r for r, package in enumerate(ORDER) if (module + ".").startswith(package + ".")), None
            )
            if mine is not None and rank is not None and rank < mine:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert wrong == []


def test_cores_are_pure() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in sources(*CORES)
        if "extract" not in path.parts
        for module, line in imports(path)
        if IMPURE.match(module) or module.startswith(("citeweb", "sources.models", "chat.models"))
    ]
    assert wrong == []


def test_the_extraction_child_knows_nothing_of_django() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in sources("sources/core/extract")
        for module, line in imports(path)
        if module.split(".")[0] in ("django", "citeweb", "chat")
    ]
    assert wrong == []


def test_html_is_marked_safe_in_one_place() -> None:
    calls = [
        name_of(path)
        for path in sources(*PACKAGES)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "mark_safe"
    ]
    assert calls == ["chat.turn_view"]


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "services"])
def test_no_file_is_a_default_place(name: str) -> None:
    assert [path for path in sources(*PACKAGES) if path.stem == name] == []


def test_every_variable_that_is_read_has_a_row_in_the_docs() -> None:
    documented = set(
        re.findall(r"^\| `([A-Z_]+)`", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)
    )
    settings = (ROOT / "citeweb" / "settings.py").read_text()
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', settings))
    # Read by chat.providers.registry, by the name that the operator uses.
    read |= {"OPENAI_API_KEY", "OPENAI_BASE_URL", "CITEWEB_MODEL", "CITEWEB_MODEL_API"}
    assert documented == read
