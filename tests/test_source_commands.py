"""The commands an operator fills and searches a tenant with."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from citeweb.accounts.models import Group, Tenant
from sources.models import Collection, Document, Grant, Version
from sources.queue import INGEST, versions_in_queue
from tests.conftest import House
from tests.documents import put


def run(command: str, *arguments: str) -> list[str]:
    """Run a command and return the lines it printed."""
    out = io.StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue().splitlines()


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """A folder with two good files, one of them further down, a bad one, and a hidden one."""
    settings.MEDIA_ROOT = tmp_path / "media"
    files = tmp_path / "files"
    (files / "deep").mkdir(parents=True)
    (files / "a.md").write_text("# Alerts\n\nAlerts are sent at 80%.")
    (files / "b.pdf").write_bytes(b"%PDF-1.7 broken")
    (files / "deep" / "c.txt").write_text("Tickets are answered within an hour.")
    (files / ".hidden").write_text("No.")
    return files


def ingest(folder: Path, *more: str) -> tuple[list[str], int]:
    """Ingest the folder into the open shelf; return the lines and the exit status."""
    out = io.StringIO()
    try:
        call_command("ingest", "--tenant", "aurora", "--collection", "Open", str(folder), *more, stdout=out)
    except SystemExit as exit:
        return out.getvalue().splitlines(), int(str(exit.code))
    return out.getvalue().splitlines(), 0


def test_ingest_prints_one_json_object_a_file(house: House, folder: Path) -> None:
    lines, status = ingest(folder, "--json")
    good, bad, deep = map(json.loads, lines)
    assert status == 1
    assert good == {
        "path": str(folder / "a.md"),
        "document_id": str(Document.objects.get(title="Alerts").pk),
        "status": "ready",
        "reason": None,
        "pages": None,
        "chunks": 1,
    }
    assert (bad["status"], bad["reason"], bad["chunks"]) == ("failed", "corrupt", 0)
    assert (Path(deep["path"]).name, deep["status"]) == ("c.txt", "ready")


def test_no_worker_reads_what_ingest_reads(house: House, folder: Path) -> None:
    ingest(folder)
    assert Version.objects.count() == 3
    assert versions_in_queue(INGEST) == set()


def test_ingest_prints_one_line_a_file_for_people(house: House, folder: Path) -> None:
    lines, _ = ingest(folder)
    assert lines[0] == f"ready  {folder / 'a.md'}  (1 passages)"
    assert lines[1].startswith(f"failed  {folder / 'b.pdf'}  corrupt: The file is damaged")


def test_ingest_of_good_files_ends_with_status_0(house: House, folder: Path) -> None:
    assert ingest(folder / "a.md")[1] == 0
    lines, status = ingest(folder / "a.md", "--json")
    assert (json.loads(lines[0])["status"], status) == ("ready", 0)
    assert Document.objects.count() == 1


def test_ingest_says_which_path_is_missing_and_goes_on(house: House, folder: Path) -> None:
    lines, status = ingest(folder / "none.pdf", str(folder / "a.md"), "--json")
    missing, good = map(json.loads, lines)
    assert (missing["status"], missing["document_id"]) == ("failed", None)
    assert missing["reason"] == "unreadable: No such file or directory"
    assert (good["status"], status) == ("ready", 1)


@pytest.mark.parametrize(("tenant", "collection"), [("aurora", "None"), ("none", "Open")])
def test_ingest_wants_a_collection_that_is_there(
    house: House, folder: Path, tenant: str, collection: str
) -> None:
    with pytest.raises(CommandError, match=f"There is no collection {collection} in tenant {tenant}"):
        run("ingest", "--tenant", tenant, "--collection", collection, str(folder))


def search(person: str, query: str) -> list[dict[str, object]]:
    """Search as a person of the house."""
    lines = run("search", "--tenant", "aurora", "--email", f"{person}@aurora.example", "--json", query)
    return [json.loads(line) for line in lines]


def test_search_prints_what_the_member_may_read(house: House) -> None:
    put(house.closed_shelf, "Payroll", "The director earns 9,000 a month.")
    found = search("granted", "What does the director earn?")
    assert found[0]["rank"] == 1
    assert str(found[0]["source_id"]).startswith("block_")
    assert found[0]["document_title"] == "Payroll"
    assert found[0]["text"] == "The director earns 9,000 a month."
    assert {"score", "page", "relevance", "document_id", "heading_path"} <= found[0].keys()
    assert search("stranger", "What does the director earn?") == []


def test_search_prints_lines_for_people(house: House) -> None:
    put(house.open_shelf, "Handbook", "Dogs stay outside.")
    lines = run("search", "--tenant", "aurora", "--email", "stranger@aurora.example", "dogs")
    assert lines[0].startswith("1. Handbook  [block_")
    assert lines[1] == "   Dogs stay outside."


def test_search_wants_a_member(house: House, neighbour: House) -> None:
    with pytest.raises(CommandError, match="no member of aurora"):
        run("search", "--tenant", "aurora", "--email", "owner@borealis.example", "dogs")


def test_collections_are_created(house: House) -> None:
    assert run("create_collection", "--tenant", "aurora", "--name", "Board", "--restricted") == [
        "Created collection Board in aurora."
    ]
    assert Collection.objects.get(tenant=house.tenant, name="Board").restricted
    with pytest.raises(CommandError, match="this name already"):
        run("create_collection", "--tenant", "aurora", "--name", "Board")
    with pytest.raises(CommandError, match="There is no tenant none"):
        run("create_collection", "--tenant", "none", "--name", "Board")


def test_grants_are_given_and_taken(house: House) -> None:
    give = ("grant", "--collection", "Restricted", "--user", "stranger@aurora.example")
    assert run(*give) == ["stranger@aurora.example may now read Restricted."]
    assert run(*give) == ["stranger@aurora.example already could read Restricted."]
    assert Grant.objects.filter(user=house.stranger.user).count() == 1
    assert run(*give, "--revoke") == ["stranger@aurora.example may no longer read Restricted."]
    assert not Grant.objects.filter(user=house.stranger.user).exists()


def test_a_group_of_the_tenant_is_granted(house: House, neighbour: House) -> None:
    Group.objects.create(tenant=house.tenant, name="Finance")
    Group.objects.create(tenant=neighbour.tenant, name="Sales")
    where = ("grant", "--tenant", "aurora", "--collection", "Restricted")
    assert run(*where, "--group", "Finance") == ["Finance may now read Restricted."]
    with pytest.raises(CommandError, match="There is no group Sales in aurora"):
        run(*where, "--group", "Sales")


def test_an_ambiguous_collection_wants_its_tenant(house: House, neighbour: House) -> None:
    with pytest.raises(CommandError, match="add --tenant, one of: aurora, borealis"):
        run("grant", "--collection", "Restricted", "--user", "stranger@aurora.example")


def test_nobody_from_elsewhere_is_granted(house: House, neighbour: House) -> None:
    with pytest.raises(CommandError, match="no member of aurora"):
        run(
            *("grant", "--tenant", "aurora", "--collection", "Restricted"),
            *("--user", "stranger@borealis.example"),
        )


@pytest.fixture
def question_set(tmp_path: Path) -> tuple[Path, Path]:
    """Two documents and three questions, one of them without an answer."""
    docs, questions = tmp_path / "docs.jsonl", tmp_path / "questions.jsonl"
    alerts = {"doc_id": "d1", "title": "Alerts", "text": "Budget alerts are sent at 80% and 100%."}
    tickets = {"doc_id": "d2", "title": "Tickets", "text": "Critical tickets are answered within one hour."}
    docs.write_text("\n".join(map(json.dumps, (alerts, tickets))))
    rows = [
        {"question": "When are budget alerts sent?", "doc_id": "d1", "passage": alerts["text"]},
        {"question": "When are critical tickets answered?", "doc_id": "d2", "answers": ["one hour"]},
        {"question": "Who painted the Mona Lisa?", "doc_id": "d2", "answerable": False},
    ]
    questions.write_text("\n".join(map(json.dumps, rows)))
    return docs, questions


def test_evaluate_measures_over_documents_of_its_own(db: None, question_set: tuple[Path, Path]) -> None:
    docs, questions = question_set
    (line,) = run("evaluate", str(questions), "--docs", str(docs), "--json")
    assert json.loads(line) == {
        "retrieval": {
            "asked": 2,
            "recall": {"@1": 1.0, "@3": 1.0, "@5": 1.0, "@10": 1.0},
            "reciprocal_rank": 1.0,
            "unanswerable": 1,
            "refused": 1.0,
        },
        "citation": {
            "cited": 1.0,
            "right": 1.0,
            "with_answer": 1,
            "cited_anyway": 0.0,
            "rejected_markers": 0,
        },
        "support": {"citations": 2, "supported": 1.0, "weak": 0.0, "unsupported": 0.0},
    }
    assert not Tenant.objects.exists()
    assert not Document.objects.exists()


def test_evaluate_measures_over_a_tenant_as_a_member(house: House, question_set: tuple[Path, Path]) -> None:
    put(house.closed_shelf, "Alerts", "Budget alerts are sent at 80% and 100%.")
    as_member = ("evaluate", str(question_set[1]), "--tenant", "aurora", "--json", "--email")
    granted = json.loads(run(*as_member, "granted@aurora.example")[0])["retrieval"]
    stranger = json.loads(run(*as_member, "stranger@aurora.example")[0])["retrieval"]
    assert (granted["recall"]["@1"], stranger["recall"]["@1"]) == (0.5, 0.0)


def test_evaluate_says_what_is_wrong_with_a_set(house: House, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("[1]")
    with pytest.raises(CommandError, match=r"bad\.jsonl, line 1: not a JSON object"):
        run("evaluate", str(bad), "--tenant", "aurora", "--email", "owner@aurora.example")
    with pytest.raises(CommandError, match="either --docs, or --tenant"):
        run("evaluate", str(bad))
