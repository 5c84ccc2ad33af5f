"""A cheap guess at the language of a text: its script first, then its small words and its own letters."""

import re
from collections import Counter

from sources.core.normalise import tokens
from sources.core.stopwords import STOP_WORDS_OF

_SAMPLE = 1500  # characters looked at
_SCRIPTS = (
    ("ko", re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")),
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("lo", re.compile("[\u0e80-\u0eff]")),
    ("my", re.compile("[\u1000-\u109f]")),
    ("km", re.compile("[\u1780-\u17ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("bn", re.compile("[\u0980-\u09ff]")),
    ("ta", re.compile("[\u0b80-\u0bff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("hy", re.compile("[\u0530-\u058f]")),
    ("ka", re.compile("[\u10a0-\u10ff]")),
    ("el", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("ar", re.compile("[\u0620-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]")),
    ("ru", re.compile("[\u0400-\u052f]")),
    ("la", re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")),
)
# Letters that few other languages of the script write; each counts like a small word.
_OWN_LETTERS = {
    "fa": "پچژگیک\u200c",
    "ur": "ٹڈڑںے",
    "ar": "ةيكىإأ",
    "uk": "іїєґ",
    "ru": "ыэё",
    "de": "ßäöü",
    "es": "ñ¿¡áéíóú",
    "fr": "èêçœàùâîô",
    "tr": "ğşıİç",
    "ro": "ășțţşâî",
    "vi": "ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    "pt": "ãõçáéêó",
    "it": "èàùòì",
    "pl": "łąęśćżźń",
    "la": "æ",
}
_RIVALS = {
    "ar": ("fa", "ar", "ur"),
    "ru": ("ru", "uk"),
    "la": ("en", "de", "es", "fr", "tr", "ro", "vi", "pt", "it", "nl", "pl", "la"),
}


def guess_language(text: str) -> str:
    """Return the likeliest ISO 639-1 code, or "" when the text has no letters or no clue in it.

    Reads the first 1,500 characters. Short texts in Latin letters without any small word give "".
    """
    sample = text[:_SAMPLE]
    counts = Counter({code: len(pattern.findall(sample)) for code, pattern in _SCRIPTS})
    counts["ja"] *= 4  # kana among many Han characters still means Japanese
    script, most = counts.most_common(1)[0]
    if not most:
        return ""
    if script not in _RIVALS:
        return script
    scores = _scores(sample, _RIVALS[script])
    best = max(scores, key=lambda code: scores[code])
    if scores[best] == 0:
        return "ru" if script == "ru" else ""
    return best


def _scores(sample: str, rivals: tuple[str, ...]) -> dict[str, float]:
    """Score each rival; a word or letter that several of them know is shared out among them."""
    scores = dict.fromkeys(rivals, 0.0)
    for word, count in Counter(token.text for token in tokens(sample)).items():
        knowing = [code for code in rivals if word in STOP_WORDS_OF.get(code, ())]
        for code in knowing:
            scores[code] += count / len(knowing)
    letters = Counter(sample.lower())
    for letter, seen in letters.items():
        writing = [code for code in rivals if letter in _OWN_LETTERS.get(code, "")]
        for code in writing:
            scores[code] += 0.3 * min(seen, 20) / len(writing)
    return scores
