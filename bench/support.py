"""Measure the support check on claims that are true of their passage and on spoilt copies of them.

Run as `python -m bench.support [DATA_DIR] [--each N] [--half dev|test] [--show KIND]`; DATA_DIR holds the
`SET.qa.jsonl.gz` files (default `../shared/data/qa`). The claims are made here and never stored. Questions are split
by their id: whoever works on the check looks at the dev half only. True claims: the sentence that holds the answer
(copy), the same with a part left out and numbers written another way (shortened), with its halves turned round
(reordered), the question with its answer in the place of the question word (stated), the answer alone, which is what
`claim_before` leaves of "Question? Answer." (short), and answers that people wrote (written; clapnq). Spoilt ones: a
number, a year or month, a name, a denial, another passage, another passage of the same article (kin).
"Flagged" below means the verdict unsupported; precision is against as many true claims of the same make.
"""

import argparse
import gc
import gzip
import json
import random
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from chat.core.claims import claim_before
from chat.core.support import Support, Verdict, check_support
from chat.core.support_words import read
from sources.core.normalise import tokens
from sources.core.sentences import sentence_spans

NEGATE = {
    "en": ((" is ", " is not "), (" was ", " was not "), (" are ", " are not "), (" were ", " were not "),
           (" can ", " cannot ")),
    "fa": ((" است", " نیست"), (" شد", " نشد"), (" کرد", " نکرد"), (" می‌", " نمی‌"), (" دارد", " ندارد"),
           (" بود", " نبود")),
    "ar": ((" كان ", " لم يكن "), (" هو ", " ليس "), (" كانت ", " لم تكن "), (" هي ", " ليست "),
           (" يمكن ", " لا يمكن ")),
    "de": ((" ist ", " ist nicht "), (" war ", " war nicht "), (" wurde ", " wurde nicht "),
           (" sind ", " sind nicht ")),
    "es": ((" es ", " no es "), (" fue ", " no fue "), (" son ", " no son "), (" era ", " no era "),
           (" se ", " no se ")),
    "ru": ((" был ", " не был "), (" была ", " не была "), (" были ", " не были "), (" является ", " не является ")),
    "el": ((" είναι ", " δεν είναι "), (" ήταν ", " δεν ήταν "), (" έχει ", " δεν έχει ")),
    "hi": ((" है", " नहीं है"), (" था", " नहीं था"), (" हैं", " नहीं हैं")),
    "ro": ((" este ", " nu este "), (" a fost ", " nu a fost "), (" sunt ", " nu sunt ")),
    "th": (("เป็น", "ไม่เป็น"), ("มี", "ไม่มี")),
    "vi": ((" là ", " không phải là "), (" được ", " không được "), (" có ", " không có ")),
    "zh": (("是", "不是"), ("有", "没有"), ("会", "不会")),
    "la": ((" est ", " non est "), (" sunt ", " non sunt "), (" erat ", " non erat ")),
    "tr": ((" vardır", " yoktur"),),
}  # fmt: skip
MONTHS = {
    "en": "January February March April June July August September October November December",
    "de": "Januar Februar März April Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril junio julio agosto septiembre octubre noviembre diciembre",
    "ru": "января февраля марта апреля июня июля августа сентября октября ноября декабря",
    "tr": "Ocak Şubat Mart Nisan Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "el": "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Ιουνίου Ιουλίου Αυγούστου "
    "Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου",
    "fa": "ژانویه فوریه مارس آوریل ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر",
    "ar": "يناير فبراير مارس أبريل يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "hi": "जनवरी फरवरी मार्च अप्रैल जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
    "ro": "ianuarie februarie martie aprilie iunie iulie august septembrie octombrie noiembrie decembrie",
}
# Question words that an answer can stand in the place of: whole words, or at the start where a language puts them
# there and they are the subject.
QUESTION_WORDS = {
    "en": r"^(?:Who|How many)(?= (?!did|do|does|has|have|had|will|would|can|could)\w)",
    "de": r"^(?:Wer|Wie viele)\b",
    "es": r"^¿(?:Quién|Quiénes|Cuántos|Cuántas)\b",
    "ru": r"^(?:Кто|Сколько)\b",
    "ro": r"^(?:Cine|Câți|Câte)\b",
    "el": r"^(?:Ποιος|Πόσοι|Πόσες|Πόσα)\b",
    "ar": r"^(?:من الذي|من|كم عدد|ما عدد)\b",
    "fa": r"\b(?:چه کسی|چه کسانی|کجا|چند|چه سالی|کدام سال)\b",
    "hi": r"(?<!\S)(?:कौन|कहाँ|कितने|कितनी|कितना|किस वर्ष)(?!\S)",
    "tr": r"\b(?:kim|kaç|nerede)\b",
    "vi": r"\b(?:ai|bao nhiêu|ở đâu|năm nào)\b",
    "th": "(?:ใคร|ที่ไหน|เท่าไร|เท่าไหร่)",
    "zh": "(?:谁|多少|哪里|哪一年|什么时候)",
}
ASKS_FOR_NAME = r"چه کس|کدام (?:کشور|شهر|استان|روستا|شرکت|تیم|فرد|شخص)|چه (?:کشور|شهر)|کجا|نام"
KINDS = ("number", "date", "name", "negation", "other", "kin", "cross")
SENTENCES = ("copy", "shortened", "reordered", "written", "cross")
MAKES = (*SENTENCES, "stated", "short")
UNSPACED = ("zh", "th", "ja")
DIGITS = re.compile(r"\d+")
YEAR = re.compile(r"(?<!\d)(?:1[0-9]\d\d|20\d\d|[۱٠-٩][۰-۹٠-٩]{3})(?!\d)")


@dataclass(frozen=True)
class Pair:
    """A claim beside a passage; `kind` is "true" or what was spoilt, `make` how the claim was made."""

    kind: str
    make: str
    lang: str
    claim: str
    passage: str


@dataclass(frozen=True)
class Row:
    """A question of a set with its passage."""

    lang: str
    question: str
    answer: str
    passage: str
    doc_id: str
    named: bool


def half_of(qid: str) -> str:
    """Return the half of the data that a question belongs to; the languages of a parallel set share it."""
    shared = qid.rsplit("-", 1)[-1] if qid.startswith("xquad") else qid
    return "dev" if crc32(shared.encode()) % 2 else "test"


def read_rows(path: Path, each: int, rng: random.Random, half: str = "") -> list[Row]:
    """Return up to `each` answerable rows of a set, drawn at random, of one half or of all."""
    english = english_answers(path.parent)
    rows = [
        row_of(r, english)
        for r in read_json(path)
        if r["answerable"] and r["answers"] and not r.get("cross_lingual") and half in ("", half_of(r["qid"]))
    ]
    rng.shuffle(rows)
    return rows[:each]


def read_json(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a set as they are stored."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def row_of(raw: dict[str, Any], english: dict[str, str]) -> Row:
    """Return a stored row. Where a script has no capitals, the parallel English answer or the question tells names."""
    answer, lang = raw["answers"][0], raw["lang"]
    other = english.get(raw["qid"].rsplit("-", 1)[-1]) if raw["qid"].startswith("xquad") else None
    if answer.upper() == answer.lower():
        named = is_name(other, "en") if other else bool(re.search(ASKS_FOR_NAME, raw["question"]))
    else:
        named = True
    return Row(lang, raw["question"], answer, raw["passage"], raw["doc_id"], named and is_name(answer, lang))


@cache
def english_answers(folder: Path) -> dict[str, str]:
    """Return the English answer of each question of the parallel sets."""
    path = folder / "xquad.en.qa.jsonl.gz"
    return {r["qid"].rsplit("-", 1)[-1]: r["answers"][0] for r in read_json(path)} if path.exists() else {}


def true_claims(row: Row, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield (make, claim) pairs that the row's passage carries."""
    sentence = answer_sentence(row)
    if sentence:
        yield "copy", sentence
        yield "shortened", shortened(sentence, row, rng)
        yield "reordered", reordered(sentence, row, rng)
    if len(row.answer) < 200:
        said = stated(row)
        if said:
            yield "stated", said
        short = claim_before(f"{row.question} {row.answer}")
        if short == row.answer:
            yield "short", short
    else:
        for start, end in sentence_spans(row.answer):
            if end - start > 30:
                yield "written", row.answer[start:end]


def stated(row: Row) -> str:
    """Return the question as a statement, with the answer in the place of its question word, or ""."""
    pattern = QUESTION_WORDS.get(row.lang)
    if pattern is None or len(re.findall(pattern, row.question)) != 1 or not carried(row):
        return ""
    answer = row.answer.strip(" .。।")
    return re.sub(pattern, lambda _: answer, row.question).strip(" ?？؟;") + "."


def carried(row: Row) -> bool:
    """True when the passage holds the numbers and names of the question: else it does not carry the statement."""
    known = {token.text for token in tokens(row.passage)}
    named = [word for word in row.question.split()[1:] if word[0].isupper() or any(map(str.isdigit, word))]
    return all(token.text in known for word in named for token in tokens(word))


def answer_sentence(row: Row) -> str:
    """Return the sentence of the passage that holds the answer, or ""."""
    at = row.passage.find(row.answer)
    for start, end in sentence_spans(row.passage):
        if at >= 0 and start <= at < end:
            return row.passage[start:end]
    return ""


def shortened(sentence: str, row: Row, rng: random.Random) -> str:
    """Leave out one clause or the outer words, and write numbers in another way."""
    parts = re.split(r"(?<=[,،;؛])\s+|(?<=[、，；])", sentence)
    if len(parts) > 2:
        del parts[rng.randrange(len(parts))]
        sentence = " ".join(parts)
    elif row.lang not in UNSPACED and len(words := sentence.split()) > 8:
        sentence = " ".join(words[2:] if rng.random() < 0.5 else words[:-2])
    if row.lang == "fa":
        return sentence.translate(str.maketrans("۰۱۲۳۴۵۶۷۸۹", "0123456789"))
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", sentence)


def reordered(sentence: str, row: Row, rng: random.Random) -> str:
    """Put the second half first, at a comma where there is one, and leave out a word in ten."""
    parts = re.split(r"(?<=[,،;؛])\s+|(?<=[、，；])", sentence.rstrip(".。।؟?!"))
    if len(parts) == 1:
        words = list(sentence) if row.lang in UNSPACED else sentence.split()
        gap = "" if row.lang in UNSPACED else " "
        middle = len(words) // 2
        parts = [gap.join(words[:middle]), gap.join(words[middle:])]
    middle = len(parts) // 2
    turned = " ".join([*parts[middle:], *parts[:middle]])
    if row.lang in UNSPACED:
        return turned
    kept = [word for word in turned.split() if word in row.answer or word[0].isupper() or rng.random() > 0.1]
    return " ".join(kept)


def spoil_number(claim: str, row: Row, rng: random.Random) -> str:
    """Change one number that is no year, to one that the passage lacks."""
    known = {int(m.group()) for m in DIGITS.finditer(row.passage)}
    places = [m for m in DIGITS.finditer(claim) if not YEAR.fullmatch(m.group()) and len(m.group()) < 6]
    return replace_number(claim, places, known, rng)


def spoil_date(claim: str, row: Row, rng: random.Random) -> str:
    """Change a month or a year to one that the passage lacks."""
    months = MONTHS.get(row.lang, "").split()
    here = [month for month in months if re.search(rf"(?<!\w){month}(?!\w)", claim)]
    if here:
        other = rng.choice([month for month in months if month not in row.passage])
        return re.sub(rf"(?<!\w){here[0]}(?!\w)", other, claim, count=1)
    known = {int(m.group()) for m in DIGITS.finditer(row.passage)}
    return replace_number(claim, list(YEAR.finditer(claim)), known, rng)


def replace_number(claim: str, places: list[re.Match[str]], known: set[int], rng: random.Random) -> str:
    """Replace one of the numbers by a near one of as many digits that is not among `known`."""
    if not places:
        return ""
    place = rng.choice(places)
    value = int(place.group())
    size = len(place.group())
    near = [n for n in range(max(value - 40, 1), value + 40) if len(str(n)) == size and n not in known]
    if not near or size != len(str(value)):
        return ""
    changed = str(rng.choice(near))
    zero = ord(place.group()[0]) - int(place.group()[0])
    return claim[: place.start()] + "".join(chr(zero + int(d)) for d in changed) + claim[place.end() :]


def is_name(answer: str, lang: str) -> bool:
    """True for a short answer without digits, with capitals where the script has them."""
    words = answer.split()
    if not words or len(words) > 4 or len(answer) > 40 or len(answer) < 2 or DIGITS.search(answer):
        return False
    if answer.upper() == answer.lower():
        return True
    return all(word[0].isupper() for word in words)


def spoil_name(claim: str, row: Row, names: dict[str, list[str]], rng: random.Random) -> str:
    """Put the name from another document in the place of the answer."""
    if not row.named or row.answer not in claim:
        return ""
    known = {t.text for t in tokens(row.passage)}
    for other in rng.sample(names[row.lang], min(20, len(names[row.lang]))):
        if not known & {t.text for t in tokens(other)}:
            return claim.replace(row.answer, other)
    return ""


def spoil_negation(claim: str, row: Row, rng: random.Random) -> str:
    """Deny the claim, or take its denial away."""
    for plain, denied in NEGATE.get(row.lang, ()):
        if denied in claim:
            return claim.replace(denied, plain, 1)
    fits = [pair for pair in NEGATE.get(row.lang, ()) if re.search(re.escape(pair[0]) + r"(?!\w)", claim)]
    if row.lang in UNSPACED:
        fits = [pair for pair in NEGATE[row.lang] if pair[0] in claim]
    if not fits:
        return ""
    plain, denied = rng.choice(fits)
    return claim.replace(plain, denied, 1)


def pairs_of(rows: list[Row], rng: random.Random) -> Iterator[Pair]:
    """Yield true claims, and after each the spoilt ones made of it."""
    names: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.named:
            names[row.lang].append(row.answer)
    for index, row in enumerate(rows):
        other = rows[(index + len(rows) // 2) % len(rows)]
        kin = [
            r
            for r in rows
            if r.doc_id != row.doc_id and r.doc_id.rsplit("-", 1)[0] == row.doc_id.rsplit("-", 1)[0]
        ]
        for make, claim in true_claims(row, rng):
            spoilt = {
                "number": spoil_number(claim, row, rng),
                "date": spoil_date(claim, row, rng),
                "name": spoil_name(claim, row, names, rng),
                "negation": spoil_negation(claim, row, rng)
                if make in ("copy", "shortened", "written")
                else "",
            }
            yield Pair("true", make, row.lang, claim, row.passage)
            for kind, text in spoilt.items():
                if text and text != claim:
                    yield Pair("true:" + kind, make, row.lang, claim, row.passage)
                    yield Pair(kind, make, row.lang, text, row.passage)
            yield Pair("other", make, row.lang, claim, other.passage)
            if kin and kin[0].doc_id.startswith(("xquad", "pquad")):
                yield Pair("kin", make, row.lang, claim, rng.choice(kin).passage)


def cross_pairs(folder: Path, each: int, rng: random.Random, half: str) -> Iterator[Pair]:
    """Yield claims in one language beside the same passage in another, as they are and with a number changed."""
    sets = {
        lang: read_by_qid(folder / f"xquad.{lang}.qa.jsonl.gz", half)
        for lang in ("en", "ar", "de", "ru", "zh")
    }
    for lang, rows in sets.items():
        others = [name for name in sets if name != lang]
        for qid in rng.sample(sorted(rows), min(each, len(rows))):
            there = sets[rng.choice(others)][qid]
            sentence = answer_sentence(rows[qid])
            if not sentence:
                continue
            yield Pair("true", "cross", lang, sentence, there.passage)
            changed = spoil_number(sentence, there, rng)
            if changed:
                yield Pair("true:cross", "cross", lang, sentence, there.passage)
                yield Pair("cross", "cross", lang, changed, there.passage)


def read_by_qid(path: Path, half: str) -> dict[str, Row]:
    """Return the rows of a parallel set by the part of the qid that all languages share."""
    return {
        r["qid"].rsplit("-", 1)[1]: row_of(r, english_answers(path.parent))
        for r in read_json(path)
        if half in ("", half_of(r["qid"]))
    }


def auroc(good: list[float], bad: list[float]) -> float:
    """Return the chance that a true claim scores above a spoilt one, ties counted half."""
    ranked = sorted([(score, 1) for score in good] + [(score, 0) for score in bad])
    above, seen_bad, at = 0.0, 0, 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        goods = sum(flag for _, flag in ranked[at:end])
        above += goods * (seen_bad + (end - at - goods) / 2)
        seen_bad += end - at - goods
        at = end
    return above / max(len(good) * len(bad), 1)


def main() -> None:
    """Print precision, recall and AUROC per kind, false alarms per make and language, and the time a claim takes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default="../shared/data/qa", type=Path)
    parser.add_argument("--each", type=int, default=150, help="questions a set")
    parser.add_argument("--half", choices=("dev", "test"), default="", help="only questions of this half")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", default="", help="print wrong verdicts of this kind")
    parser.add_argument("--lang", default="", help="only this language")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    pairs = [
        pair
        for path in sorted(options.folder.glob("*.qa.jsonl.gz"))
        for pair in pairs_of(read_rows(path, options.each, rng, options.half), rng)
        if not options.lang or pair.lang == options.lang
    ]
    results, spent, reading = checked(pairs)
    results += [
        (pair, check_support(pair.claim, pair.passage))
        for pair in cross_pairs(options.folder, options.each, rng, options.half)
    ]
    report(results)
    print("CPU ms a claim:", spread(spent))
    print("CPU ms to read a passage, once for all its claims:", spread(reading))
    show_wrong(results, options.show)


def checked(pairs: list[Pair]) -> tuple[list[tuple[Pair, Support]], list[float], list[float]]:
    """Return the verdicts, and CPU ms for each claim and for each passage when it is first read.

    The garbage collector stands still meanwhile: what it takes grows with the pairs held here, not with a claim.
    """
    results: list[tuple[Pair, Support]] = []
    spent, reading = [], []
    gc.collect()
    gc.disable()
    seen: set[str] = set()
    for pair in pairs:
        began = time.process_time()
        read(pair.passage)
        known = time.process_time()
        results.append((pair, check_support(pair.claim, pair.passage)))
        spent.append((time.process_time() - known) * 1000)
        if pair.passage not in seen:
            reading.append((known - began) * 1000)
        seen.add(pair.passage)
    gc.enable()
    return results, spent, reading


def spread(milliseconds: list[float]) -> str:
    """Return mean, median, 99th of 100 and most."""
    median, *_, last = statistics.quantiles(milliseconds, n=100)[49:]
    return (
        f"mean {statistics.fmean(milliseconds):.2f}, median {median:.2f}, 99 of 100 {last:.2f}, "
        f"slowest {max(milliseconds):.1f}"
    )


def report(results: list[tuple[Pair, Support]]) -> None:
    """Print the tables, for all claims and by their make."""
    makes = [
        ("all claims", set(MAKES)),
        ("sentences", {*SENTENCES}),
        ("stated", {"stated"}),
        ("short", {"short"}),
    ]
    for title, wanted in makes:
        print(f"{title:10} {'pairs':>6} {'precision':>9} {'recall':>7} {'P@R.80':>7} {'auroc':>6}", end="   ")
        print("recall by make | by language")
        for kind in KINDS:
            table_row(kind, [(p, s) for p, s in results if p.make in wanted])
    true = [(p, s) for p, s in results if p.kind == "true"]
    print("false alarms by language:", by(true, "lang"))
    print("verdicts on true claims:")
    for make in sorted({p.make for p, _ in true}):
        mine = [s.verdict for p, s in true if p.make == make]
        print(
            f"  {make:10} {len(mine):5} "
            + "  ".join(f"{v}: {mine.count(v) / len(mine):.3f}" for v in Verdict)
        )


def table_row(kind: str, results: list[tuple[Pair, Support]]) -> None:
    """Print one line: precision as if there were as many true claims as spoilt ones."""
    bad = [(p, s) for p, s in results if p.kind == kind]
    good = [
        (p, s) for p, s in results if p.kind == (f"true:{kind}" if kind not in ("other", "kin") else "true")
    ]
    if not bad or not good:
        return
    recall = sum(flagged(s) for _, s in bad) / len(bad)
    alarms = sum(flagged(s) for _, s in good) / len(good)
    mine, theirs = [s.score for _, s in good], [s.score for _, s in bad]
    print(
        f"{kind:10} {len(bad):6} {recall / max(recall + alarms, 1e-9):9.3f} {recall:7.3f}"
        f" {precision_at(0.8, mine, theirs):7.3f} {auroc(mine, theirs):6.3f}   {by(bad, 'make')} | {by(bad, 'lang')}"
    )


def precision_at(recall: float, good: list[float], bad: list[float]) -> float:
    """Return the precision of "score no higher than t" for the least t that reaches `recall`."""
    threshold = sorted(bad)[max(int(recall * len(bad)) - 1, 0)]
    hit = sum(score <= threshold for score in bad) / len(bad)
    alarm = sum(score <= threshold for score in good) / len(good)
    return hit / (hit + alarm)


def flagged(support: Support) -> bool:
    """True when the check calls the claim unsupported."""
    return support.verdict is Verdict.UNSUPPORTED


def by(results: list[tuple[Pair, Support]], field: str) -> str:
    """Return the share of flagged pairs for each value of a field of the pair."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for pair, support in results:
        groups[str(getattr(pair, field))].append(flagged(support))
    return "  ".join(
        f"{name} {sum(hits) / len(hits):.2f}/{len(hits)}" for name, hits in sorted(groups.items())
    )


def show_wrong(results: list[tuple[Pair, Support]], kind: str) -> None:
    """Print some pairs of a kind with the wrong verdict."""
    wrong = [(p, s) for p, s in results if p.kind == kind and flagged(s) == kind.startswith("true")]
    for pair, support in random.Random(1).sample(wrong, min(25, len(wrong))):
        print(
            f"\n[{pair.lang} {pair.make}] {support.verdict} {support.score} {support.reasons}\n  claim:  {pair.claim}"
        )
        print("  source:", pair.passage[slice(*support.best)])


if __name__ == "__main__":
    main()
