"""What the page of a record and its dossier show."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from chat.audit.evidence import Evidence
from chat.audit.facts import Fact, facts_of
from chat.audit.parts import Part, part_of
from chat.audit.replay import Purged, replayed
from chat.audit.signing import is_signed
from chat.audit.verify import link_problem
from chat.audit.wording import REASONS, STATES, VERDICTS, WAYS, kind_words
from chat.core.raw_view import Piece, raw_pieces, spelled_out
from chat.core.render import Chip, render_anchored
from chat.models import AuditRecord
from chat.turn_view import safe_html
from citeweb.accounts.models import Tenant
from citeweb.wording import reworded

Json = dict[str, Any]
# As many of each list, and as many characters of the record as it is stored, a page shows unless asked for all.
SHOWN = 100
_LONGEST_JSON = 100_000
# What leads to all of a record.
ALL = "?all=1"
# What a page of another record than a turn's says in its head, or nowhere.
_TOLD = frozenset({"kind", "sequence", "recorded_at", "tenant_id", "actor_id", "actor_email", "format"})


@dataclass(frozen=True, slots=True)
class ChainState:
    """Whether this one record stands in its chain as it should; `verify_audit` looks at all."""

    holds: bool
    text: str


@dataclass(frozen=True)
class RecordView:
    """A record as its page shows it; `whole` for all of it, however long."""

    evidence: Evidence
    tenant: Tenant | None
    whole: bool = False

    @property
    def _most(self) -> int | None:
        return None if self.whole else SHOWN

    @property
    def record(self) -> AuditRecord:
        """The record itself."""
        return self.evidence.record

    @property
    def body(self) -> Json:
        """Its body."""
        return self.evidence.body

    @property
    def kind(self) -> str:
        """What it is, in words."""
        return kind_words(self.record.kind)

    @property
    def is_turn(self) -> bool:
        """Whether it proves a turn with all that today's records hold."""
        return self.record.kind == "turn" and "reading" in self.body and self._is_readable

    @cached_property
    def _is_readable(self) -> bool:
        """Whether the body has the shape of a turn's: somebody may have put anything into the database."""
        if self.chain.holds:
            return True
        try:
            return bool(
                (
                    self.answer,
                    self.raw,
                    self.offered,
                    self.citations,
                    self.rejections,
                    self.uncited,
                    self.prompt,
                )
                and (self.steps, self.settings, self.measures, self.replay)
            )
        except (LookupError, TypeError, ValueError, AttributeError):
            return False

    @property
    def state(self) -> str:
        """How the turn ended, in words."""
        return str(STATES.get(self.record.state, self.record.state))

    @property
    def question(self) -> str:
        """What was asked; what turns the direction of writing is spelled out, so that it deceives nobody."""
        return spelled_out(self.body["question"])

    @property
    def way(self) -> str:
        """How the turn was asked for, in words."""
        return str(WAYS.get(self.body["via"], self.body["via"]))

    @cached_property
    def chain(self) -> ChainState:
        """Where the record stands."""
        return chain_state(self.record)

    @cached_property
    def replay(self) -> ChainState:
        """Whether its raw output, read again, gives the answer and citations that it holds."""
        try:
            faults = replayed(self.record)
        except Purged:
            return ChainState(False, _("Documents that it rests on were purged, so it can't be read again."))
        if faults:
            return ChainState(
                False, _("Read again, the raw output gives something else: %s") % "; ".join(faults)
            )
        return ChainState(True, _("Read again, the raw output gives this answer and these citations."))

    @cached_property
    def answer(self) -> list[SafeString]:
        """The answer as it was shown, its chips leading to the citations below."""
        chips = [
            _chip(one, "" if self.whole or place < SHOWN else ALL)
            for place, one in enumerate(self.evidence.citations)
        ]
        return [safe_html(block) for block in render_anchored(self.body["text"], chips)]

    @cached_property
    def raw(self) -> list[Piece]:
        """The raw output, cut at its markers."""
        reading = self.body["reading"]
        ids = [one["block_id"] for one in self.body["offered"]]
        ids += [str(step["event"]["source_id"]) for step in self.evidence.steps if _names(step)]
        return raw_pieces(self.body["raw"], ids, numbered=reading.get("numbered", True))

    @cached_property
    def offered(self) -> Part[Json]:
        """The blocks offered, each with how often it was cited."""
        cited = Counter(one["block_id"] for one in self.body["citations"])

        def shown(one: Json) -> Json:
            words = "L{first}-L{last}".format(**one["lines"])
            return {**one, "cited": cited[one["block_id"]], "line_words": words}

        return part_of(self.evidence.offered, shown, most=self._most)

    @cached_property
    def citations(self) -> Part[Json]:
        """The citations with their verdicts in words."""
        return part_of(self.evidence.citations, _citation, most=self._most)

    @cached_property
    def rejections(self) -> Part[Json]:
        """The rejected markers with their reasons in words."""
        return part_of(
            self.body["rejections"],
            lambda one: {
                **one,
                "raw": spelled_out(one["raw"]),
                "words": REASONS.get(one["reason"], one["reason"]),
            },
            most=self._most,
        )

    @cached_property
    def uncited(self) -> Part[str]:
        """The sentences that state something and cite nothing."""
        text = self.body["text"]
        return part_of(
            self.body.get("uncited", []), lambda span: spelled_out(text[span[0] : span[1]]), most=self._most
        )

    @property
    def steps(self) -> Part[Json]:
        """What providers' tools found."""
        return part_of(self.evidence.steps, lambda one: one, most=self._most)

    @property
    def prompt(self) -> list[Json]:
        """The messages that the model was sent."""
        return self.evidence.prompt

    @cached_property
    def settings(self) -> Sequence[Fact]:
        """The model's settings."""
        return list(facts_of(self.body.get("settings", {})))

    @cached_property
    def measures(self) -> Sequence[Fact]:
        """Timings in seconds and tokens."""
        seconds = {step: _("%s s") % value for step, value in self.body.get("timings", {}).items()}
        return [*facts_of(seconds), *facts_of(self.body.get("usage", {}))]

    @cached_property
    def facts(self) -> Sequence[Fact]:
        """What a record of another kind says, with the words beside it first."""
        said = {name: value for name, value in self.body.items() if name not in _TOLD}
        return [*facts_of(self.evidence.words), *facts_of(said)]

    @cached_property
    def as_json(self) -> str:
        """The body for reading, "" if it is too long for a page that isn't asked for all."""
        if not self.whole and len(self.record.body) > _LONGEST_JSON:
            return ""
        return json.dumps(self.body, ensure_ascii=False, indent=2)


def chain_state(record: AuditRecord) -> ChainState:
    """Look at a record and the one before it."""
    chain = AuditRecord.objects.filter(tenant_id=record.tenant_id)
    before = chain.filter(sequence=record.sequence - 1).values_list("digest", flat=True).first()
    problem = link_problem(record, before)
    if problem:
        return ChainState(False, _("The chain is broken here: the record %s.") % problem)
    if record.signature and settings.AUDIT_KEYS:
        signed = is_signed(record.signature, record.tenant_id, record.sequence, record.digest)
        return ChainState(signed, _("Unaltered and signed.") if signed else _("Its signature is not ours."))
    return ChainState(True, _("Unaltered: its digest is right and follows the record before it."))


def _chip(citation: Json, page: str) -> Chip:
    return Chip(
        position=citation["position"],
        number=citation["number"],
        citation_id=citation["citation_id"],
        label=_("Source %(number)s: %(title)s")
        % {"number": citation["number"], "title": citation.get("title", "")},
        href=page,
        verdict=citation["verdict"] or None,
    )


def _citation(citation: Json) -> Json:
    best = None
    if citation.get("best_start") is not None and not citation.get("purged"):
        start, end = (citation[key] - citation["start"] for key in ("best_start", "best_end"))
        quote = citation["quote"]
        best = {"before": quote[:start], "marked": quote[start:end], "after": quote[end:]}
    return {
        **citation,
        "best": best,
        "verdict_words": VERDICTS.get(citation["verdict"], VERDICTS["unchecked"]),
        "reason_words": [reworded(str(reason)) for reason in citation["reasons"]],
    }


def _names(step: Json) -> bool:
    return bool(not step.get("purged") and step.get("source") and step.get("event", {}).get("source_id"))
