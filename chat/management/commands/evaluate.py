"""`manage.py evaluate QUESTIONS (--docs FILE | --tenant SLUG --email …) [--limit N] [--json]`."""

import json
from argparse import ArgumentParser
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from chat.evaluation import AnswerQuality, measure_answers
from citeweb.accounts.operator import member
from citeweb.accounts.row_security import acting_for
from sources.core.evaluation import DEPTH, Quality, Question, measure
from sources.core.passages import Passage
from sources.evaluation import Seat, file_name_of, read_questions, read_rows, shelve, temporary_seat
from sources.retrieval import retrieve
from sources.vectors import embed_version


class Command(BaseCommand):
    """Measures on the real pipeline, with the embeddings that are configured."""

    help = (
        "Measure retrieval, citations and support on a JSONL set of questions, "
        "over a tenant or over documents of the set's own."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the questions and where to look for their answers."""
        parser.add_argument("questions", type=Path, metavar="QUESTIONS", help="JSONL, may be gzipped")
        parser.add_argument(
            "--docs", type=Path, metavar="FILE", help="fill a temporary tenant from this JSONL"
        )
        parser.add_argument("--tenant", default="", metavar="SLUG")
        parser.add_argument("--email", default="")
        parser.add_argument(
            "--limit", type=int, default=0, metavar="N", help="ask the first N questions only"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(
        self, *, questions: Path, docs: Path | None, tenant: str, email: str, limit: int, **options: object
    ) -> None:
        """Measure and print."""
        if (docs is None) == (not tenant):
            raise CommandError("Give either --docs, or --tenant and --email.")
        try:
            asked = read_questions(questions, with_names=docs is not None)[: limit or None]
            quality, answers = _over_documents(asked, docs) if docs else _of_member(asked, tenant, email)
        except (OSError, ValueError, KeyError) as exc:
            raise CommandError(f"Can't use the question set: {exc!r}") from exc
        results = {
            "retrieval": quality.as_json(),
            "citation": answers.citation_json(),
            "support": answers.support_json(),
        }
        self.stdout.write(json.dumps(results) if options["json"] else _as_text(quality, answers))


def _of_member(questions: list[Question], tenant: str, email: str) -> tuple[Quality, AnswerQuality]:
    place = member(tenant, email)
    with acting_for(tenant=place.tenant, user=place.user):
        return _ask(questions, Seat(place.user, place.tenant))


def _over_documents(questions: list[Question], docs: Path) -> tuple[Quality, AnswerQuality]:
    with temporary_seat() as (seat, collection):
        for version_id in shelve(collection, read_rows(docs)):
            embed_version(version_id)
        return _ask(questions, seat)


def _ask(questions: list[Question], seat: Seat) -> tuple[Quality, AnswerQuality]:
    names = seat.names_of()
    found: dict[str, list[Passage]] = {}

    def find(text: str) -> list[Passage]:
        if text not in found:
            found[text] = retrieve(user=seat.user, tenant=seat.tenant, query=text, limit=DEPTH)
        return found[text]

    quality = measure(questions, find, lambda passage: file_name_of(passage, names))
    offered = ((question, find(question.text)[: settings.OFFERED_PASSAGES]) for question in questions)
    return quality, measure_answers(offered)


def _as_text(quality: Quality, answers: AnswerQuality) -> str:
    recall = "  ".join(f"@{cut} {share:.3f}" for cut, share in quality.recall.items())
    lines = [
        f"questions  {quality.asked}",
        f"recall     {recall}",
        f"MRR        {quality.reciprocal_rank:.3f}",
    ]
    if quality.unanswerable:
        lines.append(f"refused    {quality.refused:.3f} of {quality.unanswerable} unanswerable")
    lines += [f"{name:<10} {figures}" for name, figures in _figures(answers)]
    return "\n".join(lines)


def _figures(answers: AnswerQuality) -> list[tuple[str, str]]:
    groups = (("citation", answers.citation_json()), ("support", answers.support_json()))
    return [(name, "  ".join(f"{key} {value}" for key, value in group.items())) for name, group in groups]
