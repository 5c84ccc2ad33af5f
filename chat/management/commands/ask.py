"""`manage.py ask --tenant SLUG --email … [--model M] [--json] "question"`."""

import asyncio
import json
import sys
import uuid
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from chat import export, frames, store
from chat.admission import Admission
from chat.answering import Asked
from chat.api.completion import chat_completion
from chat.asking import Unanswerable, ask_new
from chat.generation import Generation, Generations
from chat.models import Turn, TurnState
from citeweb.accounts.operator import member


class Command(BaseCommand):
    """Asks as a member would in the browser: the same engine, stored and audited the same way."""

    help = "Ask a question as a member and print the answer with its footnotes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take who asks what."""
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--email", required=True)
        parser.add_argument("--model", default="")
        parser.add_argument("--json", action="store_true", help="print the API's chat.completion object")
        parser.add_argument("question")

    def handle(self, *, tenant: str, email: str, model: str, question: str, **options: object) -> None:
        """Ask, print, and exit 1 if the answer isn't whole."""
        place = member(tenant, email)
        admission = Admission(place.user, place.tenant, uuid.uuid4(), via="command")
        with admission.acting():
            turn = _ask(admission, question, model)
            self.stdout.write(_shown(turn, admission, as_json=bool(options["json"])))
        if turn.state != TurnState.COMPLETE:
            self.stderr.write(turn.error or turn.get_state_display())
            sys.exit(1)


def _shown(turn: Turn, admission: Admission, *, as_json: bool) -> str:
    if as_json:
        return json.dumps(chat_completion(turn, user=admission.user), ensure_ascii=False, indent=2)
    return export.plain_text(turn, user=admission.user)


def _ask(admission: Admission, question: str, model: str) -> Turn:
    action = frames.parse(
        json.dumps({"action": "ask", "question": question, "client_id": str(uuid.uuid4()), "model": model})
    )
    assert isinstance(action, frames.Ask)
    try:
        asked, turn_id = ask_new(admission, action)
    except (frames.BadFrame, Unanswerable) as exc:
        raise CommandError(str(exc)) from exc
    assert asked is not None
    asyncio.run(_written(asked))
    return store.turn_for(turn_id, user=admission.user)


async def _written(asked: Asked) -> None:
    await Generations().begin(Generation(asked))
