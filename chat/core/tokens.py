"""About how many tokens a text has: so many a character, by its script.

An estimate, because each model has a tokenizer of its own, most can't be had without a download, and a provider
doesn't say which one stands behind a name. `python -m bench.tokens` compares it with five real ones.
"""

import re
from enum import StrEnum


class TokenWeights(StrEnum):
    """Which tokenizers to reckon with: those of models since 2024, or the older and smaller vocabularies too."""

    CURRENT = "current"
    OLDER = "older"


# Tokens per character: current, older. CURRENT lies above what o200k (GPT-4o and later) and Llama 3 count, OLDER also
# above cl100k (GPT-4), Llama 2 and Mistral 7B, which spell many scripts in bytes. Being above costs unused room,
# being below a refused call.
_WEIGHTS = (
    (re.compile(r"[A-Za-z ]+"), 0.27, 0.3),
    (re.compile(r"[0-9]+"), 0.7, 1.1),
    (re.compile(r"[!-/:-@\[-`{-~\s]+"), 0.6, 0.9),
    (re.compile("[\u00a0-\u024f\u1e00-\u1eff]+"), 0.6, 1.5),
    (re.compile("[\u0370-\u052f]+"), 0.5, 1.0),
    (re.compile("[\u0530-\u08ff]+"), 0.65, 1.05),
    (re.compile("[\u0900-\u1dff]+"), 0.9, 1.35),
    (re.compile("[\u2000-\u2bff]+"), 1.0, 2.0),
    (re.compile("[\u2e80-\ud7ff\uf900-\uffef]+"), 1.25, 2.0),
)
_OTHER_WEIGHT = {TokenWeights.CURRENT: 3.0, TokenWeights.OLDER: 4.0}


def estimate_tokens(text: str, weights: TokenWeights = TokenWeights.CURRENT) -> int:
    """Return about how many tokens a text has, rather too many than too few."""
    total, counted = 0.0, 0
    for pattern, current, older in _WEIGHTS:
        found = sum(map(len, pattern.findall(text)))
        total += (older if weights is TokenWeights.OLDER else current) * found
        counted += found
    return int(total + _OTHER_WEIGHT[weights] * max(len(text) - counted, 0)) + 1
