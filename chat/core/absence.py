"""Sentences in which a model says what the documents do not say. There is nothing that they could cite.

By rules alone: in each language what counts as a source, and how one says that it is silent. What only sounds alike
states something and is no such sentence: "No documents are required", "If the amount is not stated, 30 euros are due".
"""

import re
from collections.abc import Iterator

_FLAGS = re.IGNORECASE

# --- English ------------------------------------------------------------------------------------------

_SOURCE = (
    r"(?:documents?|documentation|sources?|passages?|excerpts?|extracts?|materials?|texts?|context|records?"
    r"|blocks?|files?|pages?|sections?|information)"
)
_WHICH = r"(?:the|these|those|this|that|any|any of the|your|our|none of the|none of these|neither of the|no|neither)"
_THE_SOURCES = (
    rf"{_WHICH}\s+(?:[\w-]+\s+){{0,3}}?{_SOURCE}(?:\s+(?:I|that|which|you|we)\s[^,;]{{1,50}}?)?"
    r"(?:\s+(?:provided|given|found|offered|available|retrieved|above|here)){0,2}"
)
_ADVERB = (
    r"(?:\s+(?:explicitly|specifically|directly|actually|really|clearly|further|anywhere|currently|also|even|fully"
    r"|appear\s+to|seem\s+to|ever))*"
)
_NOT = (
    r"(?:do(?:es)?\s+not|do(?:es)?n[’']t|did\s+not|didn[’']t|fail(?:s|ed)?\s+to|never|cannot|can[’']t"
    r"|(?:is|are)\s+not\s+(?:able|enough)\s+to)"
)
_SAY = (
    r"(?:mention|say|state|specify|address|discuss|cover|explain|describe|indicate|tell|define|clarify|answer"
    r"|detail|reveal|refer\s+to|speak\s+of|touch\s+on|comment\s+on|elaborate|disclose|go\s+into)s?(?:ed|d)?"
)
_TELLING = (
    r"(?:information|details?|mentions?|answers?|indications?|data|references?|guidance|statements?|passages?"
    r"|documents?|sources?|explanations?|evidence|specifics|word|hints?|descriptions?|definitions?)"
)
_ABOUT = (
    r"about|on|of|for|regarding|concerning|as\s+to|to|in|that|which|whether|how|why|when|where|who|what|here|there"
    r"|available|relating|related|else|more|beyond"
)
_END = r"$|[.,;:!)\]]"
_OF_WHAT = rf"(?=\s*(?:{_END}|(?:{_ABOUT}|is|are|was|were|could|can)\b))"
# "They say nothing is owed" is a statement.
_BARE = rf"(?=\s*(?:{_END}|(?:{_ABOUT})\b))"
_NOTHING = (
    rf"(?:(?:nothing|anything){_BARE}|neither\b"
    rf"|(?:no|not\s+any|little|any)\s+(?:[\w-]+\s+){{0,2}}?{_TELLING}{_OF_WHAT})"
)
_HOLD = r"(?:contain|include|provide|give|offer|have|hold|list|show|make|supply)s?"
_SAID = (
    r"(?:mentioned|specified|stated|indicated|addressed|discussed|covered|described|given|found|provided|included"
    r"|contained|listed|defined|documented|available|clear|known|disclosed|explained|answered|named|noted|present)"
)
_FIND = r"(?:find|locate|see|determine|identify|confirm|verify|tell|say|answer|establish|discover|give\s+an\s+answer)"
_ENGLISH = (
    rf"\b{_THE_SOURCES}{_ADVERB}\s+{_NOT}{_ADVERB}\s+{_SAY}\b",
    rf"\b{_THE_SOURCES}{_ADVERB}\s+{_NOT}{_ADVERB}\s+{_HOLD}\s+{_NOTHING}",
    rf"\b{_THE_SOURCES}{_ADVERB}\s+(?:{_SAY}|{_HOLD})\s+{_NOTHING}",
    # "They do not cover dental care" may be about anything.
    rf"\b{_SOURCE}\b.*\b(?:they|it)\s+{_NOT}{_ADVERB}\s+{_SAY}\b",
    r"\b(?:are|is)\s+silent\s+(?:on|about|as\s+to)\b",
    rf"\b(?:none|neither)\s+of\s+(?:the|these|those|your)\s+(?:[\w-]+\s+){{0,3}}?{_SOURCE}{_ADVERB}\s+(?:{_SAY}\b|{_HOLD}\s+(?:{_NOTHING}))",
    rf"\b(?:no|neither)\s+{_SOURCE}{_ADVERB}\s+{_SAY}\b",
    rf"\b(?:I|we)\s+(?:have\s+|am\s+|was\s+|were\s+|are\s+)?(?:could\s+not|couldn[’']t|can\s?not|can[’']t|did\s+not|didn[’']t|do\s+not|don[’']t|(?:not\s+)?been\s+unable\s+to|unable\s+to|not\s+able\s+to){_ADVERB}\s+{_FIND}\b",
    rf"\b(?:I|we)\s+(?:have\s+)?(?:found|find|see|have)\s+{_NOTHING}",
    rf"\bthere\s+(?:is|are|was|were)\s+(?:also\s+)?{_NOTHING}",
    rf"^\W*no\s+(?:[\w-]+\s+){{0,2}}?{_TELLING}\s+(?:about|on|of|for|regarding|concerning|as\s+to|in)\b.*\b(?:found|given|available|provided|made|mentioned|offered|present|included)\b",
    rf"^\W*no\s+(?:[\w-]+\s+){{0,2}}?{_TELLING}\s+(?:is|are|was|were|could\s+be|can\s+be)\s+(?:\w+\s+)?(?:found|given|available|provided|made|offered)\b",
    rf"^\W*nothing\s+(?:in\s+(?:the|these|those|your)\s+(?:\w+\s+){{0,2}}?{_SOURCE}|(?:is|was|could\s+be)\s+(?:said|found|mentioned|stated)|(?:about|on)\s.*\b(?:said|found|mentioned|stated))\b",
    rf"\b(?:is|are|was|were|could|can)\s*(?:not|n[’']t)(?:\s+be)?{_ADVERB}\s+{_SAID}\b(?:\s+(?:anywhere|at\s+all))?\s+(?:in|by|from)\s+{_WHICH}\s+(?:[\w-]+\s+){{0,3}}?{_SOURCE}\b",
    rf"\b(?:is|are|was|were)\s*(?:not|n[’']t){_ADVERB}\s+(?:mentioned|specified|stated|indicated|addressed|discussed)(?:\s+(?:here|there|anywhere|at\s+all))?\W*$",
    r"^\W*it\s+is\s+not\s+(?:clear|stated|specified|said|mentioned)\s+(?:\w+\s+){0,6}?(?:whether|when|how|who|what|why|which|if|where)\b",
    rf"\bnot\s+{_SAID}\s+in\s+{_WHICH}\s+(?:[\w-]+\s+){{0,3}}?{_SOURCE}\b",
)
_CONDITION = re.compile(
    r"\b(?:if|unless|when|whenever|as\s+long\s+as|in\s+case|wenn|falls|si|se|если|اگر|چنانچه|إذا|إن)\b",
    _FLAGS,
)

# --- Others: a source and a silence in one clause, or a search in vain ---------------------------------

_Z = r"[\s\u200c]?"
_OTHERS: dict[str, tuple[str, str, str]] = {
    "fa": (
        r"اسناد|سندها?|مدارک|مدرک|منابع|منبع|متن|متون|بخش‌?های|مستندات|گزیده|آن‌?ها",
        rf"(?:چیزی|سخنی|حرفی|مطلبی|اطلاعاتی|اطلاعات|پاسخی|توضیحی|جزئیاتی|اشاره{_Z}ای|نکته{_Z}ای)\b.{{0,70}}"
        rf"(?:نمی{_Z}گوی|نگفته|ننوشته|نیامده|نیست|ندار|نداده|نمی{_Z}ده|نشده|نکرده|نمی{_Z}کن|پیدا{_Z}نمی|یافت{_Z}ن|به{_Z}دست{_Z}ن)"
        rf"|(?:ذکر|اشاره|بیان|مشخص|قید|گفته|تصریح|عنوان|آورده|توضیح{_Z}داده|پرداخته){_Z}(?:نشده|نمی{_Z}کن|نکرده|نمی{_Z}شو|نمی{_Z}پرداز)"
        r"|نیامده|نمی‌گوی",
        rf"(?:پیدا|یافت){_Z}(?:نکرد(?:م|یم|ه{_Z}ام)|نشد)|نیافت(?:م|یم|ه{_Z}ام)|نتوانست(?:م|یم).{{0,60}}(?:پیدا|بیاب|یافت)",
    ),
    "ar": (
        r"المستندات|الوثائق|المصادر|المقاطع|النصوص|النص|المستند|الوثيقة",
        r"(?:لا|لم|ليس|ولا)\s(?:\S+\s){0,3}?(?:تذكر|يذكر|يُذكر|تُذكر|ترد|يرد|تقول|يقول|تتضمن|يتضمن|تحتوي|توضح|تحدد|تشير|معلومات|شيئا|شيئًا|شيء|ذكر)",
        r"لم (?:أجد|نجد|أعثر|نعثر|يُعثر|يتم العثور)",
    ),
    "de": (
        r"Dokument\w*|Quelle\w*|Unterlage\w*|Textstelle\w*|Passage\w*|Ausz[uü]g\w*|Abschnitt\w*|Stellen|Texten?",
        r"\bnichts\b(?!\s+(?:kostet|geändert))|\bkeine?[nr]?\s+(?:\w+\s+)?(?:Angabe|Information|Hinweis|Aussage|Auskunft|Antwort|Erwähnung)\w*"
        r"|\bnicht\s+(?:\w+\s+){0,2}?(?:erwähn|genannt|nennen|angegeben|beschrieb|behandel|hervor|aufgeführt|beantwort|erläuter|sagen|gesagt|darauf\s+ein)\w*"
        r"|\b(?:sagen|erwähnen|nennen|beschreiben)\s+(?:\w+\s+){0,3}?nicht\b",
        r"\b(?:ich|wir)\b.{0,60}\b(?:nichts|keine?n?)\b.{0,60}\b(?:gefunden|finden)\b",
    ),
    "es": (
        r"documentos?|fuentes?|pasajes?|fragmentos?|textos?|materiales",
        r"\bno\s+(?:se\s+)?(?:dicen?|mencionan?|especifican?|indican?|explican?|abordan?|tratan?|detallan?|aclaran?)\b"
        r"|\bno\s+(?:contienen?|hay|incluyen?|ofrecen?|dan?|aportan?)\s+(?:ninguna\s+)?(?:información|datos|detalles|respuesta|mención|nada)|\bnada\s+(?:sobre|acerca|de|al)\b",
        r"\bno\s+(?:he|hemos|pude|pudimos|se)\s+(?:podido\s+)?(?:encontrado|encontrar|encontró|hallado)",
    ),
    "fr": (
        r"documents?|sources?|passages?|extraits?|textes?",
        r"\bn(?:e\s+|[’'])(?:\w+\s+){0,2}?(?:disent|dit|mentionn\w+|précis\w+|indiqu\w+|expliqu\w+|abord\w+|parl\w+|évoqu\w+)\s+(?:pas|rien)\b"
        r"|\bne\s+(?:contien\w+|donn\w+|fourniss\w+|comport\w+)\s+(?:pas|aucune?)\s+(?:d[’']|de\s+)?(?:information|réponse|mention|précision|détail)\w*"
        r"|\bn[’']est\s+pas\s+(?:mentionnée?|précisée?|indiquée?)|\bne\s+sont\s+pas\s+(?:mention|préci|indiqu)\w+",
        r"\bje\s+n[’']ai\s+(?:rien|pas|aucune?)\b.{0,40}trouvé|\bnous\s+n[’']avons\s+(?:rien|pas)\b.{0,40}trouvé",
    ),
    "it": (
        r"documenti|documento|fonti|fonte|passi|passaggi|testi|testo|brani",
        r"\bnon\s+(?:dicono|dice|menzionan?o?|specificano?|indicano?|spiegano?|trattano?|parlano?|precisano?)\b"
        r"|\bnon\s+(?:contengono|contiene|forniscono|ci\s+sono|danno)\s+(?:alcuna\s+|nessuna\s+)?(?:informazion|rispost|indicazion|dettagli)\w*|\bnon\s+(?:è|sono|viene)\s+(?:menzionat|indicat|specificat)\w+|\bnulla\s+(?:su|al|in\s+merito)",
        r"\bnon\s+(?:ho|abbiamo)\s+trovato\b",
    ),
    "pt": (
        r"documentos?|fontes?|passagens|passagem|trechos?|textos?",
        r"\bnão\s+(?:dizem|diz|mencionam?|especificam?|indicam?|explicam?|abordam?|tratam?|esclarecem?)\b"
        r"|\bnão\s+(?:contêm|contém|há|incluem|fornecem|trazem)\s+(?:nenhuma\s+)?(?:informaç|resposta|dados|detalhes|nada|menção)\w*|\bnada\s+(?:sobre|a\s+respeito)",
        r"\bnão\s+(?:encontrei|encontramos|foi\s+encontrad|consegui\s+encontrar)",
    ),
    "la": (
        r"documenta|documentis|documento|locis|loci|fontes|fontibus|textus|libris",
        r"\bnihil\b|\bnon\s+(?:dicunt|dicit|dicitur|memorant|memoratur|leguntur|legitur|inveni\w+|exponunt|continent)\b",
        r"\b(?:nihil|non)\b.{0,60}\binven(?:i|imus|iri|tum)\b",
    ),
    "ru": (
        r"документ\w*|источник\w*|отрывк\w*|фрагмент\w*|текст\w*|материал\w*",
        r"\bничего\s+(?:\w+\s+){0,2}?(?:не\s+)?(?:говор|сказан|упомина|найден|написан|об|о)\w*|\bне\s+(?:упомина|указа|указыва|сказан|говор|описан|описыва|содерж\w+\s+(?:информаци|сведени|данн|ответ)|уточня|раскрыва)\w*"
        r"|\bнет\s+(?:\w+\s+)?(?:информаци|сведени|данных|упоминани|ответа)\w*",
        r"\b(?:я|мы)\s+(?:ничего\s+)?не\s+(?:наш|смог\w*\s+найти)\w*|\bне\s+удалось\s+найти\b",
    ),
    "tr": (
        r"belge\w*|kaynak\w*|bölüm\w*|metin\w*|pasaj\w*|doküman\w*",
        r"\b(?:belirtilm(?:em|iy)|bahsedilm(?:em|iy)|bahsetm(?:em|iy)|söylenm(?:em|iy)|değinilm(?:em|iy)|açıklanm(?:am|ıy)|yer\s+alm(?:am|ıy)|geçm(?:em|iy))\w*"
        r"|\b(?:bilgi|hiçbir\s+şey|bir\s+şey|yanıt|cevap)\b.{0,40}\b(?:yok|bulunm|verilm|içerm|söylem|yer\s+alm)\w*",
        r"\bbulam(?:adım|adık|ıyorum)\b|\bbulunamadı\b",
    ),
    "zh": (
        r"文件|文档|文件中|资料|来源|段落|材料|文中|文獻|文档中",
        r"(?:没有|未|并未|沒有|並未)(?:\w{0,4})?(?:提到|提及|说明|說明|指出|涉及|包含|记载|记录|给出|找到|相关|关于|有关|任何|明确)",
        r"(?:没有|未能?|無法|无法)(?:在\w{0,20})?找到",
    ),
    "ja": (
        r"文書|資料|出典|箇所|ドキュメント|文献|情報源|抜粋",
        r"(?:記載|記述|言及|説明|情報|答え|触れ|示さ|書か|含ま)\w{0,6}?(?:ありません|ない|いません|なかった|されていません|見つかりません\w*|れていません)",
        r"見つかりませんでした|見つけられませんでした|見つかりません",
    ),
}
_SILENT = re.compile("|".join(_ENGLISH), _FLAGS)
_SEARCHED = re.compile("|".join(f"(?:{vain})" for _, _, vain in _OTHERS.values()), _FLAGS)
_PAIRS = tuple(
    (
        re.compile(rf"(?<!\w)(?:{source})(?!\w)" if name not in ("zh", "ja") else source, _FLAGS),
        re.compile(silence, _FLAGS),
    )
    for name, (source, silence, _) in _OTHERS.items()
)
_FEW_WORDS = 2
_UNSPACED = re.compile("[\u3040-\u9fff]{4}")
_DESCRIBES = re.compile(rf"^\W*(?:(?:even )?though|although|while|whereas)\b.*\b{_SOURCE}\b", _FLAGS)
_CONTRAST = re.compile(
    r"\s*[;；؛—]\s*|\s*[,،，、]?\s+(?:but|however|yet|although|though|aber|jedoch|doch|sondern|pero|aunque|mais"
    r"|cependant|toutefois|però|tuttavia|mas|porém|sed|но|однако|ama|ancak|fakat|اما|ولی|لكن|ولكن)\s"
    r"|[，,]\s*(?:但是?|不过|然而)|が、|けれども、|, (?:ma|e|y|et|und|and|or|а|и|ve|و)\s",
    _FLAGS,
)
_SIDE = re.compile(
    r"^\W*(?:although|though|while|whereas|even though|because|since|as)\b[^,]{3,},\s*", _FLAGS
)
_FINITE = re.compile(
    r"\b(?<!who )(?<!that )(?<!which )(?:is|are|was|were|has|have|had|will|can|may|must|shall|should|do|does|gets?"
    r"|costs?|comes?|takes?|appl(?:y|ies)|pays?)\b|\d",
    _FLAGS,
)


def says_what_is_missing(sentence: str) -> bool:
    """Tell whether a sentence of an answer says that the sources lack something, and states nothing beside that."""
    clauses = list(_clauses(sentence))
    silent = [_is_silent(clause) for clause in clauses]
    if not any(silent):
        return False
    first = silent.index(True)
    return not any(
        _may_state(clause, behind=place > first) for place, clause in enumerate(clauses) if not silent[place]
    )


def _clauses(sentence: str) -> Iterator[str]:
    side = _SIDE.match(sentence)
    begin = side.end() if side else 0
    if side and _DESCRIBES.match(side[0]):
        # "Although the documents describe alerts, they do not say when" is about the documents as a whole.
        begin = 0
    elif side:
        yield side[0]
    place = begin
    for match in _CONTRAST.finditer(sentence, begin):
        yield sentence[place : match.start()]
        place = match.end()
    yield sentence[place:]


def _is_silent(clause: str) -> bool:
    found = _SILENT.search(clause)
    if found:
        return not _CONDITION.search(clause[: found.start() + 1])
    if _SEARCHED.search(clause):
        return True
    return any(source.search(clause) and silence.search(clause) for source, silence in _PAIRS)


def _may_state(clause: str, *, behind: bool) -> bool:
    """Tell whether a clause beside a silent one states something: behind it there may be the rest of a list."""
    if len(clause.split()) <= _FEW_WORDS and not _UNSPACED.search(clause):
        return False
    return not behind or _FINITE.search(clause) is not None or not clause.isascii()
