"""`manage.py ingest --tenant SLUG --collection NAME [--json] PATH…`."""

import json
import logging
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from django.core.files import File
from django.core.management.base import CommandError
from django.db import transaction

from citeweb.accounts.operator import OperatorCommand
from citeweb.accounts.row_security import acting_for
from sources.core.extract.types import FailureReason, explain
from sources.embedding_errors import EmbeddingError
from sources.ingest import process_version
from sources.models import Collection, Version, VersionState
from sources.queue import take_over
from sources.shelves import collections_named
from sources.uploads import accept_as_system
from sources.vectors import embed_version
from sources.versions import MOST_ATTEMPTS

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file, as `--json` prints it."""

    path: str
    document_id: str | None
    status: str
    reason: str | None
    pages: int | None
    chunks: int


class Command(OperatorCommand):
    """Works in this very process, so it needs no worker, and no worker reads the same file beside it."""

    help = "Upload files (folders are walked) into a collection and wait. Exit status 1 if any file failed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options of DESIGN.md section 5."""
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--collection", required=True, metavar="NAME")
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        parser.add_argument("paths", nargs="+", metavar="PATH")

    def handle(self, *, tenant: str, collection: str, paths: list[str], **options: object) -> None:
        """Ingest one file after the other."""
        shelf = next(iter(collections_named(collection, tenant_slug=tenant)), None)
        if shelf is None:
            raise CommandError(f"There is no collection {collection} in tenant {tenant}.")
        failed = 0
        for path in _files(paths):
            with acting_for(tenant=shelf.tenant):
                outcome = _ingest(shelf, path)
            failed += outcome.status == VersionState.FAILED
            self.stdout.write(_as_json(outcome) if options["json"] else _as_line(outcome))
            self.stdout.flush()
        if failed:
            raise SystemExit(1)


def _files(paths: list[str]) -> Iterator[Path]:
    """Yield the named files, and all files in the named folders by name, except hidden ones."""
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        yield from sorted(
            child
            for child in path.rglob("*")
            if child.is_file() and not any(part.startswith(".") for part in child.relative_to(path).parts)
        )


def _ingest(shelf: Collection, path: Path) -> Outcome:
    try:
        with path.open("rb") as file, transaction.atomic():
            upload = accept_as_system(collection=shelf, file=File(file), file_name=path.name)
            take_over(upload.version.pk)
    except OSError as exc:
        return Outcome(str(path), None, VersionState.FAILED, f"unreadable: {exc.strerror}", None, 0)
    return _outcome(path, _processed(upload.version))


def _processed(version: Version) -> Version:
    """Do here what the worker would do, up to the vectors."""
    for _ in range(MOST_ATTEMPTS):
        try:
            process_version(version.pk)
            break
        except Exception:
            logger.exception("Trying version %s again", version.pk)
    try:
        embed_version(version.pk)
    except EmbeddingError as exc:
        logger.warning("Version %s is found by its words only for now (%s)", version.pk, type(exc).__name__)
    version.refresh_from_db()
    return version


def _outcome(path: Path, version: Version) -> Outcome:
    return Outcome(
        path=str(path),
        document_id=str(version.document_id),
        status=version.state,
        reason=version.failure or None,
        pages=version.pages,
        chunks=version.chunk_count,
    )


def _as_json(outcome: Outcome) -> str:
    return json.dumps(asdict(outcome), ensure_ascii=False)


def _as_line(outcome: Outcome) -> str:
    if outcome.status != VersionState.FAILED:
        pages = f"{outcome.pages} pages, " if outcome.pages else ""
        return f"{outcome.status}  {outcome.path}  ({pages}{outcome.chunks} passages)"
    return f"failed  {outcome.path}  {_why(outcome.reason or '')}"


def _why(reason: str) -> str:
    if reason not in set(FailureReason):
        return reason
    explanation = explain(FailureReason(reason))
    return f"{reason}: {explanation.problem} {explanation.remedy}"
