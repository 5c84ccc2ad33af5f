"""Small lists of words that say little about what a question asks; ours, folded on import."""

from sources.core.folding import fold_with_map

_LISTS = {
    "en": """
        a an the of in on at to for from by with and or but if than then is are was were be been being
        do does did has have had can could will would should may might must shall what which who whom
        whose when where why how many much long often it its this that these those there here i you he
        she we they me my your his her our their as not no about into over under between please tell
        explain describe give show list any some""",
    "fa": """
        از در به با را که و یا تا بر برای این آن است بود شد شده می‌شود می‌کند کرد کرده هست هستند بودند
        شدند باشد چه چی کی چیست کیست کجا کجاست چرا چگونه چطور چند چقدر کدام آیا ها های یک هر هم نیز
        اما اگر پس من تو او ما شما آنها آنان خود دارد دارند داشت می شود کند چگونه لطفا درباره بگو
        توضیح بده چه‌کسی چه‌زمانی کردند میکند میشود کدامند هایی ای رو مورد""",
    "ar": """
        من في على إلى عن مع هذا هذه ذلك تلك التي الذي الذين هو هي هم أن إن كان كانت يكون ما ماذا متى
        أين كيف لماذا كم أي هل و أو ثم قد لا لم لن كل بين عند بعد قبل حول أية منذ حتى به له لها فيها
        فيه بها""",
    "la": """
        et in ad de ex ab a e cum per pro non est sunt erat esse fuit qui quae quod quis quid quo qua
        quem quam quando ubi cur quomodo quot quantum quare unde ut si sed aut vel ac atque hic haec
        hoc ille illa illud is ea id eius autem enim nam ne nec an utrum num quibus quorum quarum
        cuius cui suis sua suum se sibi inter""",
    "de": """
        der die das den dem des ein eine einen einem einer eines und oder aber in im an am auf zu zum
        zur von vom mit bei aus nach für über unter ist sind war waren wird werden wurde wurden hat
        haben hatte sein was welche welcher welches welchem welchen wer wem wen wessen wann wo warum
        wieso wie viel viele lange es er sie sich nicht auch als durch bis kann können welch ihr ihre
        sein seine""",
    "es": """
        el la los las un una unos unas de del en a al por para con sin y o u pero que qué quién
        quiénes cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas es son era fue fueron ser
        está están ha han se su sus lo le les como más no entre sobre si esta este estos estas hay
        tiene tienen""",
    "fr": """
        le la les un une des de du d l en à au aux par pour avec sans et ou mais que quoi qui quel
        quelle quels quelles quand où comment combien pourquoi est sont était été être a ont se sa son
        ses ce cette ces cet il elle ils elles on ne pas dans sur plus y leur leurs qu s c n""",
    "ru": """
        и в во на с со к ко о об от до из за по для при не но а или что кто кого кому чем какой какая
        какое какие каком каких когда где куда почему зачем как сколько это этот эта эти был была было
        были быть есть его ее их он она они я мы вы ли же бы то у так после между чего какую какого
        каким""",
    "tr": """
        ve veya ile bir bu şu o da de ki mi mı mu mü ne nedir kim kimdir kimin nerede nereye nereden
        neden niçin nasıl ne zaman kaç hangi hangisi için gibi kadar olan olarak oldu olduğu ise çok
        en her var neydi hangileri""",
    "ro": """
        de la în din pe cu pentru și sau dar ce care cine când unde cum cât câți câte câtă este sunt
        era fost a au al ai ale un o unei unui lui prin nu se să mai după între cel cea cei cele fi
        avea""",
    "vi": """
        là của và các những một trong cho với được có không gì nào ai khi đâu sao bao nhiêu như thế
        thì mà ở này đó đã bị bởi từ đến về tại vì""",
    "el": """
        ο η το οι τα του της των τον την στο στη στην στον στα στις και ή με για από σε ως που τι
        ποιος ποια ποιο ποιοι ποιες πότε πού πώς γιατί πόσο πόσα πόσες πόσοι είναι ήταν δεν να θα έχει
        έχουν είχε ένα μια ένας τους τις κατά""",
    "hi": """
        का के की को में से पर और या है हैं था थे थी क्या कौन कब कहाँ क्यों कैसे कितने कितना कितनी किस
        किसने किसके किसकी किसे यह वह ये वे एक ने तक भी नहीं जो इस उस लिए साथ द्वारा कर किया गया गई हुआ
        होता हो था कौनसा""",
    "it": """
        il lo la i gli le un uno una di del della dei delle in nel nella a al alla da dal per con e o
        ma che chi quale quali quando dove come quanto quanti quante perché è sono era erano si su non
        più""",
    "pt": """
        o a os as um uma de do da dos das em no na nos nas por para com e ou mas que quem qual quais
        quando onde como quanto quantos quantas é são era foi se seu sua não mais ao à""",
    "nl": """
        de het een en of maar in op aan van voor met bij uit naar is zijn was waren wordt worden werd
        wat welke welk wie wanneer waar waarom hoe veel er niet ook als door""",
    "zh": "什么 哪些 哪个 哪里 哪儿 多少 为何 怎么 怎样 如何 何时 什麼 哪個 多長 多久 谁 誰 的 是 吗 呢 有",
    "ja": "です ます した して いる ある から まで とは 何で どこ どの いつ なぜ だれ とい いう うか すか",
    "th": "ๆ",
}
STOP_WORDS_OF = {
    language: frozenset(fold_with_map(word).text.replace("\u200c", "") for word in words.split())
    for language, words in _LISTS.items()
}
STOP_WORDS = frozenset[str]().union(*STOP_WORDS_OF.values())

# Endings and beginnings that Persian writes beside a ZWNJ; alone they are not words to search for.
_AFFIXES = """
        ها های هایی هایش هایم هایت هایشان هایمان هایتان می نمی تر ترین تری ام ات اش ای اند ایم اید شان
        مان تان یی ی بی ان را"""
PERSIAN_AFFIXES = frozenset(fold_with_map(word).text for word in _AFFIXES.split())
