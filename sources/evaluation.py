"""Question sets as files, and a tenant of one's own to ask them in."""

import gzip
import json
import secrets
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from citeweb.accounts.models import Membership, Tenant, User
from citeweb.accounts.row_security import acting_as_system, acting_for
from sources.core.evaluation import Question
from sources.core.passages import Passage
from sources.index import add_text
from sources.models import Collection
from sources.permissions import visible_versions
from sources.shelves import create_collection_as_system


@dataclass(frozen=True, slots=True)
class Seat:
    """Who asks, and where."""

    user: User
    tenant: Tenant

    def names_of(self) -> dict[str, str]:
        """Return the file name of each readable document's versions by version id."""
        versions = visible_versions(user=self.user, tenant=self.tenant)
        return {str(pk): name for pk, name in versions.values_list("pk", "file_name")}


def read_rows(path: Path) -> Iterator[dict[str, object]]:
    """Yield the objects of a JSONL file, gzipped or not. Raises ValueError for what is none."""
    with _opened(path) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _row(line, f"{path.name}, line {number}")


def _opened(path: Path) -> AbstractContextManager[Iterable[str]]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _row(line: str, place: str) -> dict[str, object]:
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError(f"{place}: not a JSON object")
    return row


def read_questions(path: Path, *, with_names: bool) -> list[Question]:
    """Read `question`, `passage`, `answers`, `doc_id` and `answerable`, all but the first optional."""
    return [
        Question(
            text=str(row["question"]),
            passage=str(row.get("passage") or ""),
            answers=tuple(map(str, _list(row.get("answers")))),
            document_name=str(row.get("doc_id") or "") if with_names else "",
            answerable=bool(row.get("answerable", True)),
        )
        for row in read_rows(path)
    ]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


@contextmanager
def temporary_seat() -> Iterator[tuple[Seat, Collection]]:
    """Give a member of a new tenant and its one collection; both are deleted afterwards with all that is in them."""
    mark = secrets.token_hex(4)
    with acting_as_system("a tenant to measure in"):
        tenant = Tenant.objects.create(slug=f"evaluation-{mark}", name="Evaluation")
        user = User.objects.create_user(f"evaluation-{mark}@citeweb.invalid")
    try:
        with acting_for(tenant=tenant, user=user):
            Membership.objects.create(tenant=tenant, user=user)
            yield Seat(user, tenant), create_collection_as_system(tenant=tenant, name="All", restricted=False)
    finally:
        with acting_as_system("a tenant to measure in"):
            tenant.delete()
            user.delete()


def shelve(collection: Collection, rows: Iterator[dict[str, object]]) -> list[str]:
    """Shelve rows of `doc_id`, `title` and `text`, and return the ids of their versions."""
    versions = []
    for row in rows:
        document = add_text(
            collection,
            title=str(row.get("title") or row["doc_id"]),
            text=str(row["text"]).replace("\0", " "),
            file_name=str(row["doc_id"]),
        )
        versions.append(str(document.current_version_id))
    return versions


def file_name_of(passage: Passage, names: dict[str, str]) -> str:
    """Return the file name of the passage's version."""
    return names.get(passage.version_id, "")
