"""`manage.py search --tenant SLUG --email … [--json] "query"`."""

import json
from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import BaseCommand

from citeweb.accounts.operator import member
from citeweb.accounts.row_security import acting_for
from sources.core.passages import Passage
from sources.retrieval import retrieve

_SHOWN = 300


class Command(BaseCommand):
    """Searches as a member: what they may not read is not there."""

    help = "Print the passages that a member's question finds, best first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take who asks what."""
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--email", required=True)
        parser.add_argument("--limit", type=int, default=settings.OFFERED_PASSAGES)
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        parser.add_argument("query")

    def handle(self, *, tenant: str, email: str, query: str, limit: int, **options: object) -> None:
        """Search and print."""
        place = member(tenant, email)
        with acting_for(tenant=place.tenant, user=place.user):
            found = retrieve(user=place.user, tenant=place.tenant, query=query, limit=limit)
        for passage in found:
            self.stdout.write(_as_json(passage) if options["json"] else _as_lines(passage))


def _as_json(passage: Passage) -> str:
    return json.dumps(
        {
            "rank": passage.rank,
            "score": round(passage.score, 6),
            "relevance": round(passage.relevance, 4),
            "source_id": passage.block_id,
            "document_title": passage.title,
            "document_id": passage.document_id,
            "page": passage.page,
            "page_label": passage.page_label or None,
            "heading_path": passage.heading_path,
            "text": passage.text,
        },
        ensure_ascii=False,
    )


def _as_lines(passage: Passage) -> str:
    page = f", page {passage.page_label or passage.page}" if passage.page else ""
    text = " ".join(passage.text.split())
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    head = f"{passage.rank}. {passage.title}{page}  [{passage.block_id}]  score {passage.score:.4f}"
    return f"{head}\n   {shown}"
