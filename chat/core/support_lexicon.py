"""Words that the support check knows in many languages: months, numbers, units, negations. Ours, folded on import."""

from sources.core.normalise import fold


def _folded(listed: str) -> list[str]:
    return [fold(word).replace("\u200c", "") for word in listed.split()]


def _table(rows: dict[str, str]) -> dict[str, str]:
    return {word: key for key, listed in rows.items() for word in _folded(listed)}


# Calendar and number of the month: g Gregorian, j Jalali, h Islamic.
MONTHS = _table(
    {
        "g1": "january jan januar enero janvier januarii ianuarii январь января январе ocak janeiro gennaio ianuarie "
        "ιανουαριος ιανουαριου ιανουαριο يناير جانفي ژانویه जनवरी มกราคม januari styczeń stycznia",
        "g2": "شباط february feb februar febrero février februarii февраль февраля феврале şubat fevereiro febbraio "
        "februarie φεβρουαριος φεβρουαριου φεβρουαριο فبراير فوریه فوریهٔ फरवरी กุมภาพันธ์ februari luty lutego",
        "g3": "آذار march mar märz marzo mars martii март марта марте mart março martie μαρτιος μαρτιου μαρτιο مارس "
        "مارچ मार्च มีนาคม maart marzec marca",
        "g4": "نيسان april apr abril avril aprilis апрель апреля апреле nisan aprile aprilie απριλιος απριλιου απριλιο "
        "أبريل ابريل آوریل अप्रैल เมษายน kwiecień kwietnia",
        "g5": "أيار may mai mayo maii май мая мае mayıs maio maggio μαιος μαιου μαιο مايو مه می मई พฤษภาคม mei "
        "maj maja",
        "g6": "حزيران june jun juni junio juin iunii июнь июня июне haziran junho giugno iunie ιουνιος ιουνιου "
        "ιουνιο يونيو "
        "ژوئن जून มิถุนายน czerwiec czerwca",
        "g7": "تموز july jul juli julio juillet iulii июль июля июле temmuz julho luglio iulie ιουλιος ιουλιου ιουλιο "
        "يوليو ژوئیه جولای जुलाई กรกฎาคม lipiec lipca",
        "g8": "august aug agosto août augusti август августа августе ağustos αυγουστος αυγουστου αυγουστο أغسطس اوت "
        "आگوست अगस्त สิงหาคม augustus sierpień sierpnia",
        "g9": "أيلول september sep sept septiembre septembre septembris сентябрь сентября сентябре eylül "
        "setembro settembre "
        "septembrie σεπτεμβριος σεπτεμβριου σεπτεμβριο سبتمبر سپتامبر सितंबर सितम्बर กันยายน wrzesień września",
        "g10": "october oct oktober okt octubre octobre octobris октябрь октября октябре ekim outubro ottobre "
        "octombrie "
        "οκτωβριος οκτωβριου οκτωβριο أكتوبر اکتبر अक्टूबर अक्तूबर ตุลาคม październik października",
        "g11": "november nov noviembre novembre novembris ноябрь ноября ноябре kasım novembro noiembrie νοεμβριος "
        "νοεμβριου νοεμβριο نوفمبر نوامبر नवंबर नवम्बर พฤศจิกายน listopad listopada",
        "g12": "december dec dezember dez diciembre décembre decembris декабрь декабря декабре aralık dezembro "
        "dicembre "
        "decembrie δεκεμβριος δεκεμβριου δεκεμβριο ديسمبر دسامبر दिसंबर दिसम्बर ธันวาคม grudzień grudnia",
        "j1": "فروردین farvardin", "j2": "اردیبهشت ordibehesht", "j3": "خرداد khordad", "j4": "تیر tir",
        "j5": "مرداد امرداد mordad", "j6": "شهریور shahrivar", "j7": "مهر mehr", "j8": "آبان aban", "j9": "آذر azar",
        "j10": "دی dey", "j11": "بهمن bahman", "j12": "اسفند esfand",
        "h1": "محرم muharram", "h2": "صفر safar", "h7": "رجب rajab", "h8": "شعبان shaban", "h9": "رمضان ramadan",
        "h10": "شوال shawwal", "h11": "ذیقعده", "h12": "ذیحجه",
    }
)  # fmt: skip
# Month names that are also ordinary words: they need a day or a year beside them.
DOUBTFUL_MONTHS = frozenset(
    _folded(
        """may mar march mars mai mei maj mart marca jan jun jul sep dec nov oct dez mayo мая май марта tir mehr dey
        aban azar nisan ocak ekim kasım aralık تیر مهر دی آذر آبان مه می اوت بهمن صفر safar luty maja lipca mae"""
    )
)

_SMALL = {
    "0": "zero null cero zéro ноль sıfır صفر",
    "1": "one eins uno un unus una unum один одна одно bir یک واحد एक unu ένα",
    "2": "two zwei dos deux duo duae duas два две iki دو اثنان اثنين दो doi două δυο hai สอง due dois",
    "3": "three drei tres trois tria три üç سه ثلاثة ثلاث तीन trei τρια τρεις ba สาม tre três",
    "4": "four vier cuatro quatre quattuor четыре dört چهار أربعة أربع चार patru "
    "τεσσερα τεσσερις bốn สี่ quattro quatro",
    "5": "five fünf cinco cinq quinque пять beş پنج خمسة خمس पांच पाँच cinci πεντε năm ห้า cinque",
    "6": "six sechs seis sex шесть altı شش ستة ست छह छः șase εξι sáu หก sei",
    "7": "seven sieben siete sept septem семь yedi هفت سبعة سبع सात șapte επτα εφτα bảy เจ็ด sette sete",
    "8": "eight acht ocho huit octo восемь sekiz هشت ثمانية ثماني आठ opt οκτω οχτω tám แปด otto oito",
    "9": "nine neun nueve neuf novem девять dokuz نه تسعة تسع नौ nouă εννεα εννια chín เก้า nove",
    "10": "ten zehn diez dix decem десять on ده عشرة عشر दस zece δεκα mười สิบ dieci dez",
    "11": "eleven elf once onze undecim одиннадцать یازده ग्यारह unsprezece εντεκα undici",
    "12": "twelve zwölf doce douze duodecim двенадцать دوازده बारह doisprezece δωδεκα dodici doze",
    "13": "thirteen dreizehn trece treize tredecim тринадцать سیزده तेरह treisprezece",
    "14": "fourteen vierzehn catorce quatorze quattuordecim четырнадцать چهارده चौदह",
    "15": "fifteen fünfzehn quince quinze quindecim пятнадцать پانزده पंद्रह",
    "16": "sixteen sechzehn dieciséis seize sedecim шестнадцать شانزده सोलह",
    "17": "seventeen siebzehn diecisiete septendecim семнадцать هفده सत्रह",
    "18": "eighteen achtzehn dieciocho duodeviginti восемнадцать هجده हिजده अठारह",
    "19": "nineteen neunzehn diecinueve undeviginti девятнадцать نوزده उन्नीस",
    "20": "twenty zwanzig veinte vingt viginti двадцать yirmi بیست عشرون عشرين बीस douăzeci εικοσι",
    "30": "thirty dreißig treinta trente triginta тридцать otuz سی ثلاثون ثلاثين तीस treizeci τριαντα",
    "40": "forty vierzig cuarenta quarante quadraginta сорок kırk چهل أربعون أربعين चालीस patruzeci σαραντα",
    "50": "fifty fünfzig cincuenta cinquante quinquaginta пятьдесят elli پنجاه خمسون خمسين पचास cincizeci πενηντα",
    "60": "sixty sechzig sesenta soixante sexaginta шестьдесят altmış شصت ستون ستين साठ șaizeci εξηντα",
    "70": "seventy siebzig setenta septuaginta семьдесят yetmiş هفتاد سبعون سبعين सत्तर șaptezeci εβδομηντα",
    "80": "eighty achtzig ochenta octoginta восемьдесят seksen هشتاد ثمانون ثمانين अस्सी optzeci ογδοντα",
    "90": "ninety neunzig noventa nonaginta девяносто doksan نود تسعون تسعين नब्बे nouăzeci ενενηντα",
    "200": "doscientos ducenti двести دویست مائتان مئتان ducentos",
    "300": "trescientos trecenti триста سیصد trecentos",
    "400": "cuatrocientos quadringenti четыреста چهارصد",
    "500": "quinientos quingenti пятьсот پانصد quingentos",
    "600": "seiscientos sescenti шестьсот ششصد",
    "700": "setecientos septingenti семьсот هفتصد",
    "800": "ochocientos octingenti восемьсот هشتصد",
    "900": "novecientos nongenti девятьсот نهصد",
}
_SCALE_ROWS = {
    "100": "hundred hundert cien ciento cent centum сто yüz صد مئة مائة सौ εκατο cento cem",
    "1000": "thousand tausend mil mille milia тысяча тысячи тысяч bin هزار ألف آلاف हजार हज़ार mie mii "
    "χιλιαδες χιλια nghìn พัน ngàn duizend",
    "10000": "万 萬 만 หมื่น",
    "100000": "lakh लाख แสน",
    "1000000": "million millions millionen millón millones mio mn миллион миллиона миллионов млн milyon میلیون مليون "
    "ملايين milion milioane εκατομμυριο εκατομμυρια triệu ล้าน milhão milhões milione milioni miljoen",
    "10000000": "crore करोड़",
    "100000000": "亿 億 억",
    "1000000000": "billion billions milliarde milliarden milliard milliards mrd bn миллиард миллиарда миллиардов млрд "
    "milyar میلیارد مليار مليارات miliard miliarde δισεκατομμυριο δισεκατομμυρια tỷ अरब",
    "1000000000000": "trillion trillions трлн триллион trilyon تریلیون τρισεκατομμυρια",
}
SMALL_NUMBERS = {word: int(key) for word, key in _table(_SMALL).items()}
SCALES = {word: int(key) for word, key in _table(_SCALE_ROWS).items()}
# Small words that are as often articles, pronouns or prepositions as numbers.
DOUBTFUL_NUMBERS = frozenset(
    _folded("one un una uno unus unum bir یک واحد एक ένα on نه ba sex mil năm opt сто ست sept bin mie")
)
SMALL_NUMBERS |= {
    f"{unit}und{ten}": SMALL_NUMBERS[ten] + value
    for ten in _folded("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
    for value, unit in enumerate(_folded("ein zwei drei vier fünf sechs sieben acht neun"), start=1)
}
NUMBER_LINKS = frozenset(_folded("and y et و и und ve"))

UNITS = _table(
    {
        "%": "% percent percentage prozent pourcent procent yüzde درصد بالمئة بالمائة процент процента процентов "
        "प्रतिशत τοις",
        "$": "$ usd dollar dollars dólar dólares доллар доллара долларов دلار دولار डॉलर",
        "€": "€ eur euro euros евро یورو يورو यूरो",
        "£": "£ gbp pound pounds پوند",
        "¥": "¥ yen yuan jpy cny rmb",
        "rial": "ریال rial rials", "toman": "تومان toman tomans",
        "₹": "₹ rupee rupees रुपये",
        "second": "second seconds sekunde sekunden segundo segundos seconde secondes секунд секунды saniye ثانیه ثانية",
        "minute": "minute minutes minuten minuto minutos минут минуты минута dakika دقیقه دقيقة मिनट",
        "hour": "hour hours stunde stunden hora horas heure heures час часа часов saat ساعت ساعة ساعات घंटे",
        "day": "day days tag tage tagen día días jour jours dies dierum день дня дней gün روز يوم أيام दिन",
        "week": "week weeks woche wochen semana semanas semaine semaines неделя недели недель hafta هفته أسبوع",
        "month": "month months monat monate monaten mes meses mois месяц месяца месяцев ay ماه شهر أشهر महीने",
        "year": "year years jahr jahre jahren año años an ans année années annos annis год года лет yıl سال سنة سنوات "
        "साल वर्ष",
        "km": "km kilometer kilometers kilometre kilometres kilómetros kilomètres километров کیلومتر كيلومتر किमी",
        "mile": "mile miles meilen millas مایل ميل",
        "m": "meter meters metre metres metros mètres метров متر",
        "ft": "ft foot feet فوت",
        "kg": "kg kilogram kilograms kilo kilos کیلوگرم كيلوغرام",
        "tonne": "ton tons tonne tonnes tonnen toneladas تن طن тонн",
        "c": "°c celsius سانتیگراد", "f": "°f fahrenheit",
    }
)  # fmt: skip
UNIT_SIGNS = {"%": "%", "٪": "%", "$": "$", "€": "€", "£": "£", "¥": "¥", "₹": "₹", "﷼": "rial", "₽": "ruble"}

HEDGES = frozenset(
    _folded(
        """about around approximately roughly nearly almost over circa ca some more less than حدود تقریبا نزدیک قریب
        بیش حوالي تقريبا نحو قرابة etwa rund ungefähr fast über knapp unos unas cerca aproximadamente casi environ
        presque près около примерно почти yaklaşık fere circiter περιπου aproximativ circa khoảng लगभग करीब"""
    )
)

# By language where an alphabet is shared: Portuguese não folds to Vietnamese nào. The rest go by script.
_NEGATION_ROWS = {
    "en": "not no never none nor neither cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt "
    "couldnt hasnt havent hadnt without nobody nothing nowhere unable",
    "de": "nicht kein keine keinen keinem keiner keines nie niemals ohne nichts niemand weder",
    "es": "no nunca jamás sin ningún ninguna ninguno nada nadie tampoco ni",
    "fr": "ne pas jamais sans aucun aucune rien personne n ni",
    "la": "non nec neque numquam nihil nullus nulla nullum haud nemo sine nondum nequaquam",
    "it": "non mai senza nessun nessuno nessuna niente né",
    "tr": "değil yok hiç asla hayır olmayan değildir yoktur olmadı edilmedi",
    "vi": "không chưa chẳng",
    "ro": "nu nici fără niciodată nimic n",
    "pt": "não nem sem nunca nenhum nenhuma",
    "nl": "niet geen nooit zonder niets",
    "pl": "nie nigdy bez żaden",
    "cyrillic": "не нет ни никогда без нельзя ничего никто немає",
    "greek": "δεν δε μη μην χωρις οχι κανεις",
    "indic": "नहीं न मत बिना",
    "arabic": """لا لم لن ليس ليست غير بدون دون ليسوا نه نیست نیستند نبود نبودند نشد نشده نشدند نکرد نکرده نکردند ندارد
    ندارند نداشت نداشته نداشتند نشود نکند هیچ هرگز نخواهد نباید نتوانست نمیتوان نیستم نباشد""",
}
NEGATIONS = {key: frozenset(_folded(listed)) for key, listed in _NEGATION_ROWS.items()}
# Persian verbs carry their negation in front; the plain form must be a verb form too, so نمی only.
NEGATED_FRONT = ("نمی",)
NEGATION_SIGNS = (
    "不",
    "没",
    "沒",
    "未",
    "无",
    "無",
    "ない",
    "ません",
    "なかった",
    "않",
    "없",
    "아니",
    "ไม่",
    "มิได้",
)
# Verbs that follow a word and make it what somebody does: in scripts without capitals that word is no name. Not the
# verbs for being, before which a name may well stand.
LIGHT_VERBS = frozenset(
    _folded(
        """شد شدند شده شود می‌شود می‌شوند کرد کردند کرده کند می‌کند می‌کنند داد دادند داده دهد می‌دهد گرفت گرفتند گرفته نمود
        نمودند گردید گشت یافت یافتند किया की किए करता करती करते करना करने कर गया गई गए दिया दिए देना रहा रही रहे लगता लगती
        होता होती होते चाहिए सकता सकती सकते"""
    )
)
# What names in scripts without spaces seldom hold.
FUNCTION_SIGNS = (
    *"是在的了被曾从將将并而",
    *["ที่", "เป็น", "คือ", "ใน", "ของ", "และ", "ไม่", "ได้", "จะ", "ให้", "กับ", "โดย"],
)
