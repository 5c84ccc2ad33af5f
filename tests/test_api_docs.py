"""The examples of docs/api.md, each run as a reader would run it."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from sources.models import Document
from tests.api_client import ALERTS, PERSIAN, QUESTION, cited, program_of
from tests.conftest import House
from tests.model_server import ModelServer, Wait
from tests.web_server import ROOT, WebServer

pytestmark = pytest.mark.django_db(transaction=True)

_FENCE = re.compile(r"^```(python|javascript|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
JAVASCRIPT = ROOT / "tests" / "javascript"


@dataclass(frozen=True)
class Example:
    """A block of code and the headline that it stands under."""

    headline: str
    language: str
    code: str

    def __str__(self) -> str:
        return f"{self.headline} ({self.language})"


def examples() -> list[Example]:
    text = (ROOT / "docs" / "api.md").read_text()
    found = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        headline = section.splitlines()[0]
        found += [Example(headline, language, code) for language, code in _FENCE.findall(section)]
    return found


EXAMPLES = examples()


@pytest.fixture(scope="session")
def node_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with npm's openai, as the lock file pins it."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    folder = tmp_path_factory.mktemp("javascript")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(JAVASCRIPT / name, folder)
    subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True, timeout=100
    )
    return folder


def run(example: Example, environment: dict[str, str], folder: Path) -> str:
    """Run an example and return what it prints."""
    match example.language:
        case "python":
            command = [sys.executable, "-c", example.code]
        case "javascript":
            (folder / "example.mjs").write_text(example.code)
            command = ["node", "example.mjs"]
        case _:
            command = ["bash", "-euo", "pipefail", "-c", example.code]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_examples_in_each_language() -> None:
    assert {example.language for example in EXAMPLES} == {"python", "javascript", "sh"}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_an_example_runs(
    request: pytest.FixtureRequest,
    server: WebServer,
    house: House,
    pricing: Document,
    tmp_path: Path,
    example: Example,
) -> None:
    folder = tmp_path
    if example.language == "javascript":
        folder = request.getfixturevalue("node_modules")
    elif example.language == "sh" and shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    of_the_audit = example.headline == "Read the audit"
    program = program_of(server, house.auditor if of_the_audit else house.owner)
    if of_the_audit:
        program.client().responses.create(model="citeweb-quote", input=QUESTION)
    printed = run(
        example, {"BASE_URL": program.base_url, "API_KEY": program.key, "QUESTION": QUESTION}, folder
    )
    if example.headline.startswith("Files"):
        assert printed == "in_progress\n"
    elif of_the_audit:
        (line,) = json.loads(printed)["data"]
        assert (line["summary"], line["citations"]) == (QUESTION, 1)
    else:
        assert "Pricing Policy" in printed
        assert ALERTS in printed or example.language == "sh"


def test_the_javascript_client_gets_the_same_in_every_way(
    server: WebServer, house: House, pricing: Document, model: ModelServer, node_modules: Path
) -> None:
    """In Persian with signs beyond the basic plane, and with a model that is silent for longer than a heartbeat."""
    model.always([Wait(1.3), *cited(pricing)])
    program = program_of(server, house.stranger)
    contract = Example("contract", "javascript", (JAVASCRIPT / "contract.mjs").read_text())
    environment = {"BASE_URL": program.base_url, "API_KEY": program.key, "QUESTION": QUESTION}
    assert json.loads(run(contract, environment, node_modules)) == {"content": f"{PERSIAN}[^1] Done."}
