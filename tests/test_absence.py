"""Saying what the documents do not say, told from stating something."""

import time

import pytest

from chat.core.absence import says_what_is_missing

MISSING = """
The documents say nothing about this.
The documents do not mention when alerts are sent.
The provided documents don’t specify a limit.
The documents that I can read do not say who decides.
The passages given here do not explain how the fee is computed.
These sources contain no information about parking.
The available documents do not contain any details on pensions.
The documents provide no answer to this question.
The handbook excerpts are silent on overtime.
None of the documents mention a deadline.
Neither of the passages says who pays.
No source mentions the year.
I could not find anything about alerts in the documents.
I couldn't find that in your documents.
I was unable to find the date of the meeting.
I found no information about that.
I cannot tell from the documents which of them is in force.
We did not find a rule for this case.
There is no information about salaries in the documents.
There is no mention of a probation period.
No information about parking was found.
No details are given.
Nothing in the documents speaks of pensions.
Nothing was found about this in the collection.
The exact date is not specified.
The amount of the fee is not stated in the documents.
A second signature is not mentioned anywhere in the provided sources.
It is not clear from the documents whether the rule still applies.
Although the documents describe budget alerts, they do not say when they are sent.
The documents do not mention fees, deadlines, or the persons who are responsible.
However, the documents do not state how long this takes.
I found nothing about this, and the documents do not mention a contact.
اسناد در این باره چیزی نمی‌گویند.
در اسناد موجود اطلاعاتی درباره‌ی حقوق بازنشستگی وجود ندارد و چیزی نیامده است.
در منابع به تاریخ جلسه اشاره‌ای نشده است.
در متن‌های ارائه‌شده مبلغ دقیق ذکر نشده است.
نتوانستم پاسخ این پرسش را پیدا کنم.
در این باره چیزی یافت نشد.
این موضوع در اسناد مشخص نشده است.
لا تذكر المستندات أي شيء عن هذا.
لم أجد معلومات حول هذا الموضوع.
Die Dokumente sagen dazu nichts.
In den Unterlagen wird der Termin nicht genannt.
Die Dokumente enthalten keine Angaben zum Urlaub.
Ich habe in den Dokumenten nichts dazu gefunden.
Los documentos no dicen nada sobre esto.
No he encontrado información sobre las vacaciones.
Les documents ne disent rien à ce sujet.
Les documents ne contiennent aucune information sur les congés.
Je n’ai rien trouvé sur ce point.
I documenti non dicono nulla al riguardo.
Non ho trovato informazioni su questo tema.
Os documentos não mencionam o prazo.
Não encontrei nada sobre as férias.
Documenta de hac re nihil dicunt.
В документах об этом ничего не сказано.
Документы не содержат информации об отпуске.
Belgelerde bu konuda bilgi yok.
Belgelerde tarih belirtilmemiştir.
文件中没有提到这一点。
我没有找到相关信息。
文書にはこの点についての記載はありません。
これに関する情報は見つかりませんでした。
"""
STATED = """
No documents are required for registration.
There is no limit on the number of documents.
There is no data limit on the Pro plan.
The documents do not need to be signed.
The price does not include delivery to the office.
They do not cover dental treatment abroad.
You cannot find a cheaper plan than this one.
Employees do not answer calls after six.
According to the documents, no fee is charged.
The documents say that no fee is charged.
The documents say nothing is owed after May.
If the amount is not specified, 30 euros are due.
If the documents do not mention a date, the contract ends in May.
The documents do not mention a limit, but the fee is 30 euros a month.
The documents do not mention a limit; the fee is 30 euros a month.
The documents do not mention a limit, and the fee is 30 euros a month.
Alerts are sent at eight, but the documents do not say to whom.
Although alerts are sent at eight, the documents do not say to whom.
Because the documents do not mention a date, the contract ends in May.
No file may contain a macro or a link.
The contract does not mention a notice period of its own.
The key was not found in the drawer.
Nothing is charged in the first month.
The director did not mention the merger in May.
Support is not available on public holidays.
مدیر در جلسه‌ی ماه مه نیامده بود.
اسناد باید تا پایان ماه فرستاده شوند.
اگر تاریخ ذکر نشده باشد، قرارداد در اردیبهشت پایان می‌یابد.
در اسناد به سقف اشاره‌ای نشده، اما هزینه ماهانه ۳۰ یورو است.
Die Dokumente müssen nicht unterschrieben werden.
Die Dokumente nennen keine Grenze, aber die Gebühr beträgt 30 Euro.
Los documentos no deben firmarse antes de mayo.
Les documents ne doivent pas être signés.
I documenti non devono essere firmati.
Os documentos não precisam de assinatura.
Документы не нужно подписывать до мая.
文件必须在五月之前签署完毕。
文書は五月までに署名する必要があります。
"""


@pytest.mark.parametrize("sentence", MISSING.split("\n")[1:-1])
def test_what_is_missing(sentence: str) -> None:
    assert says_what_is_missing(sentence)


@pytest.mark.parametrize("sentence", STATED.split("\n")[1:-1])
def test_what_is_stated(sentence: str) -> None:
    assert not says_what_is_missing(sentence)


@pytest.mark.parametrize(
    "piece",
    [
        "the documents that ",
        "no ",
        "the ",
        "there is no ",
        "keine ",
        "nothing about ",
        "not found in the ",
        "，但",
    ],
)
def test_time_is_bounded(piece: str) -> None:
    sentence = (piece * 1_200)[:1_200]
    begin = time.perf_counter()
    says_what_is_missing(sentence)
    assert time.perf_counter() - begin < 0.5
