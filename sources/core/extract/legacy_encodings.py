"""Guessing which of the older encodings a text is in, by how many of its characters are everyday ones.

Each candidate comes with the characters that make up most of the non-ASCII part of ordinary text in the
languages it was made for. A wrong decoding gives rare characters, so the share of everyday ones decides.
"""

import re

_HANZI = "的一是不了在人有我他中上大到以要就出可也你生能而子那得下自之年作里家用道行所然事成方多心同天小前"
_SIMPLIFIED = "这个们来为和国地说时会对着过发后于与实当没学经"
_TRADITIONAL = "這個們來為和國地說時會對著過發後於與實當沒學經開館圖書間請"
_KANA = (
    "あいうえおかがきくけこさしすせそただちっつてでとどなにねのはばひふへほまみむめもやゆよらりるれろわをんー"
)
_KANA += "アイウエオカキクケコサシスセソタチッテトナニノハヒフヘホマミムメモヤュョラリルレロワン"
_HANGUL = "이다는을가의에고하한지은를로기사도자리인서어대정시나스아수일그전상부있해보라주들제과으여용"
_CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэф"
_ARABIC = "اليمونرتبةعدسفهكحقجأشطصخإىءذزغئضثظآؤًپچژگی،؟"
_HEBREW = "יולהמאתרבשנדכקפחעסגטזצםןךףץ"
_GREEK = "αοιετσνηυρπκμλςωδγχθφβξζψάέήίόύώ"
_WESTERN = "äöüßÄÖÜéèêàâçñóíáúôîûëïåøæœÅØÉÀÇìòù’‘“”„–—…€£°§«»¿¡ãõº\xa0"
_CENTRAL = "áéíóúýčďěňřšťůžąćęłńśźżőűöüäŠŽČŘŁŚŻ„”–"
_WIDE_SIGNS = "，。、；：？！「」『』（）《》“”…—　·"

_CANDIDATES: tuple[tuple[str, str], ...] = (
    ("cp1252", _WESTERN),
    ("cp1251", _CYRILLIC),
    ("koi8-r", _CYRILLIC),
    ("cp1256", _ARABIC),
    ("cp1255", _HEBREW),
    ("cp1253", _GREEK),
    ("cp1250", _CENTRAL),
    ("gb18030", _HANZI + _SIMPLIFIED + _WIDE_SIGNS),
    ("big5", _HANZI + _TRADITIONAL + _WIDE_SIGNS),
    ("cp932", _KANA + _WIDE_SIGNS),
    ("euc_jp", _KANA + _WIDE_SIGNS),
    ("cp949", _HANGUL + _WIDE_SIGNS),
)
_LAST_RESORT = "cp1252"
_ALPHABETS = {"cp1251", "koi8-r", "cp1256", "cp1255", "cp1253"}
_COMMONEST = 11
_LESS_COMMON = 0.6
_LATIN = {"cp1252", "cp1250"}
# Where the tables of double-byte encodings keep their everyday characters, by first byte.
_USUAL_LEADS = {
    "gb18030": (0xB0, 0xF7),
    "big5": (0xA4, 0xC6),
    "cp949": (0xB0, 0xC8),
    "cp932": (0x82, 0x9F),
    "euc_jp": (0xA4, 0xF4),
}
_LEAD_WEIGHT = 0.6
_LEAST_KANA = 0.15
# Accented letters in a row: few words have more than the one, none more than the other.
_USUAL_RUN = 2
_LONGEST_RUN = 5
# A sample of this length was cut, perhaps within a character.
_CUT = 4096
_FOREIGN_RUN = re.compile("[^\x00-\x7f]+")
_TOUCHING_RUN = re.compile("(?<=[A-Za-z])[^\x00-\x7f]+|[^\x00-\x7f]+(?=[A-Za-z])")


def guess_legacy(data: bytes) -> tuple[str, float]:
    """Return the likeliest encoding and how sure that is, 0 to 1. UTF-8 and UTF-16 are ruled out before."""
    scored = [(encoding, _score(data, encoding, frequent)) for encoding, frequent in _CANDIDATES]
    best = max(scored, key=lambda pair: pair[1])
    return best if best[1] > 0 else (_LAST_RESORT, 0.0)


def _score(data: bytes, encoding: str, everyday: str) -> float:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        # A sample may end within a character; anywhere else it is the wrong encoding.
        if error.start < len(data) - 1 or len(data) < _CUT:
            return 0.0
        text = data[: error.start].decode(encoding)
    foreign = [char for char in text if char > "\x7f"]
    if not foreign:
        return 0.0
    share = sum(_weight(everyday.find(char), encoding) for char in foreign) / len(foreign)
    if encoding in _USUAL_LEADS:
        return _double_byte_score(data, encoding, share)
    return share * (_share_apart(text) if encoding in _LATIN else _share_together(text))


def _weight(place: int, encoding: str) -> float:
    """How everyday a character is by its place in the list, -1 for not at all.

    All letters of one alphabet are letters of another in the next encoding: there the commonest ones decide.
    """
    if place < 0:
        return 0.0
    return 1.0 if encoding not in _ALPHABETS or place < _COMMONEST else _LESS_COMMON


def _double_byte_score(data: bytes, encoding: str, share: float) -> float:
    """That all pairs of bytes are valid says more than the few dozen everyday characters of thousands."""
    if encoding in {"cp932", "euc_jp"} and share < _LEAST_KANA:
        return share
    return _LEAD_WEIGHT * _share_of_usual_leads(data, encoding) + (1 - _LEAD_WEIGHT) * share


def _share_apart(text: str) -> float:
    """How far non-ASCII letters stand between plain ones, as letters with accents do."""
    runs = [len(run) for run in _FOREIGN_RUN.findall(text)]
    crowded = sum(run if run > _LONGEST_RUN else run / 2 for run in runs if run > _USUAL_RUN)
    return 1 - crowded / max(sum(runs), 1)


def _share_together(text: str) -> float:
    """The share of non-ASCII letters that don't touch a Latin one, as in scripts of their own."""
    runs = _FOREIGN_RUN.findall(text)
    touching = _TOUCHING_RUN.findall(text)
    return 1 - sum(map(len, touching)) / max(sum(map(len, runs)), 1)


def _share_of_usual_leads(data: bytes, encoding: str) -> float:
    """The share of double-byte characters from the part of the table where everyday ones were put."""
    low, high = _USUAL_LEADS[encoding]
    leads, usual, index = 0, 0, 0
    while index < len(data):
        lead = data[index]
        leads += lead > 0x80
        usual += low <= lead <= high
        index += 2 if lead > 0x80 else 1
    return usual / max(leads, 1)
