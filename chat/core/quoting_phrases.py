"""The few words that the quoting model says itself, in the question's language."""

from dataclasses import dataclass

from sources.core.normalise import fold


@dataclass(frozen=True, slots=True)
class Phrases:
    """`missing` has one {words}; `comma` joins them; `opening` and `closing` are quotation marks."""

    intro: str
    missing: str
    nothing: str
    opening: str = "“"
    closing: str = "”"
    comma: str = ", "


# Words that a question is full of and an answer need not repeat; their absence is not worth a remark.
LIGHT_WORDS = frozenset(
    fold(
        """
        get gets got getting receive receives give gives given take takes taken make makes made use uses used using
        need needs needed want wants know mean means meant happen happens happened work works go goes come comes
        find found call called name names named type types kind kinds part parts way ways thing things time times
        date dates day days year years amount number numbers fast quick quickly soon early late often usually
        possible different first last main exactly currently today now say says said look allowed able long
        cost costs price happen start starts end ends apply applies become became information according

        زمان زمانی چه‌زمانی هنگام وقت وقتی دریافت می‌کنند می‌کند میکنند می‌گیرند می‌شوند می‌دهد می‌دهند می‌توان می‌توانم
        باید نیاز انجام استفاده معنی معنای نام نوع انواع بخش تعداد مقدار میزان سریع زود دیر سال روز اولین آخرین اصلی
        اطلاعات درباره‌ی بدهید بگویید توان توانم کنند کنم کنیم گیرند دهد دهند می

        habet habent habere facit faciunt facere dicit dicitur dicuntur dicere accipit accipiunt accipere potest
        possunt posse debet debent nomen numerus tempus tempore dies annus modus modo res causa vocatur appellatur
        significat fit fiunt primus

        bekommen bekommt erhalten erhält machen macht geben gibt heißt nennt genannt liegt gehört braucht benutzt
        recibir recibe reciben obtener hacer hace dar da llama llamado necesita usar
        recevoir reçoit obtenir faire fait donner appelle appelé utiliser besoin
        """
    ).split()
)

_ENGLISH = Phrases(
    intro="The documents say:",
    missing="These words of the question do not stand in the passages found: {words}.",
    nothing="I found nothing about this in the documents that you can read.",
)
_PHRASES = {
    "en": _ENGLISH,
    "fa": Phrases(
        intro="در اسناد چنین آمده است:",
        missing="این واژه‌های پرسش در بخش‌های یافت‌شده نیامده‌اند: {words}.",
        nothing="در اسنادی که می‌توانید بخوانید چیزی در این باره پیدا نکردم.",
        opening="«",
        closing="»",
        comma="، ",
    ),
    "la": Phrases(
        intro="Documenta haec dicunt:",
        missing="Haec quaestionis verba in locis inventis non leguntur: {words}.",
        nothing="In documentis quae legere potes nihil de hac re inveni.",
        opening="«",
        closing="»",
    ),
    "ar": Phrases(
        intro="جاء في المستندات:",
        missing="هذه الكلمات من السؤال لا ترد في المقاطع التي عُثر عليها: {words}.",
        nothing="لم أجد شيئًا عن هذا في المستندات التي يمكنك قراءتها.",
        opening="«",
        closing="»",
        comma="، ",
    ),
    "de": Phrases(
        intro="In den Dokumenten steht:",
        missing="Diese Wörter der Frage kommen in den gefundenen Stellen nicht vor: {words}.",
        nothing="In den Dokumenten, die Sie lesen dürfen, habe ich dazu nichts gefunden.",
        opening="„",
        closing="“",
    ),
    "es": Phrases(
        intro="Los documentos dicen:",
        missing="Estas palabras de la pregunta no aparecen en los pasajes encontrados: {words}.",
        nothing="No he encontrado nada sobre esto en los documentos que puede leer.",
        opening="«",
        closing="»",
    ),
    "fr": Phrases(
        intro="Les documents disent :",
        missing="Ces mots de la question ne figurent pas dans les passages trouvés : {words}.",
        nothing="Je n’ai rien trouvé à ce sujet dans les documents que vous pouvez lire.",
        opening="«\u00a0",
        closing="\u00a0»",
    ),
    "it": Phrases(
        intro="I documenti dicono:",
        missing="Queste parole della domanda non compaiono nei passi trovati: {words}.",
        nothing="Non ho trovato nulla su questo nei documenti che può leggere.",
        opening="«",
        closing="»",
    ),
    "pt": Phrases(
        intro="Os documentos dizem:",
        missing="Estas palavras da pergunta não aparecem nas passagens encontradas: {words}.",
        nothing="Não encontrei nada sobre isto nos documentos que pode ler.",
    ),
    "ru": Phrases(
        intro="В документах сказано:",
        missing="Этих слов вопроса нет в найденных отрывках: {words}.",
        nothing="В документах, доступных вам для чтения, об этом ничего не найдено.",
        opening="«",
        closing="»",
    ),
    "tr": Phrases(
        intro="Belgelerde şöyle yazıyor:",
        missing="Sorudaki şu sözcükler bulunan bölümlerde geçmiyor: {words}.",
        nothing="Okuyabildiğiniz belgelerde bu konuda bir şey bulamadım.",
    ),
    "zh": Phrases(
        intro="文件中写道：",
        missing="问题中的这些词没有出现在找到的段落中：{words}。",
        nothing="在您可以阅读的文件中没有找到相关内容。",
        comma="、",
    ),
    "ja": Phrases(
        intro="文書には次のように書かれています。",
        missing="質問の次の語は、見つかった箇所に含まれていません：{words}。",
        nothing="閲覧できる文書の中に、これに関する記述は見つかりませんでした。",
        opening="「",
        closing="」",
        comma="、",
    ),
}


def phrases_for(language: str) -> Phrases:
    """Return the phrases of a language by its ISO 639-1 code; English for one that has none here."""
    return _PHRASES.get(language, _ENGLISH)


def all_phrases() -> tuple[Phrases, ...]:
    """Return the phrases of every language."""
    return tuple(_PHRASES.values())
