"""A cheap guess is right for a plain sentence and silent where nothing speaks."""

import pytest

from sources.core.language import guess_language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The customers of this company receive an alert when they reach the limit."),
        ("fa", "مشتریان این شرکت هنگام رسیدن به سقف هشدار دریافت می‌کنند."),
        ("ar", "يتلقى عملاء هذه الشركة تنبيهًا عند الوصول إلى الحد الأقصى."),
        ("la", "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae."),
        ("de", "Die Kunden dieser Firma erhalten eine Warnung, wenn sie die Grenze erreichen."),
        ("fr", "Les clients de cette société reçoivent une alerte quand ils atteignent la limite."),
        ("es", "Los clientes de esta empresa reciben una alerta cuando llegan al límite."),
        ("it", "I clienti di questa società ricevono un avviso quando raggiungono il limite."),
        ("pt", "Os clientes desta empresa não recebem um alerta quando chegam ao limite."),
        ("nl", "De klanten van dit bedrijf krijgen een waarschuwing als zij het maximum bereiken."),
        ("ru", "Клиенты этой компании получают предупреждение, когда достигают предела."),
        ("uk", "Клієнти цієї компанії отримують попередження, коли досягають межі."),
        ("tr", "Bu şirketin müşterileri sınıra ulaştıkları zaman bir uyarı alır."),
        ("vi", "Khách hàng của công ty này nhận được cảnh báo khi đạt đến giới hạn."),
        ("ro", "Clienții acestei companii primesc o alertă când ating limita."),
        ("el", "Οι πελάτες της εταιρείας λαμβάνουν ειδοποίηση."),
        ("hi", "इस कंपनी के ग्राहकों को चेतावनी मिलती है।"),
        ("zh", "该公司的客户在达到限额时会收到警报。"),
        ("ja", "この会社の顧客は上限に達すると通知を受け取ります。"),
        ("ko", "이 회사의 고객은 한도에 도달하면 알림을 받습니다."),
        ("th", "ลูกค้าของบริษัทนี้ได้รับการแจ้งเตือน"),
        ("he", "לקוחות החברה מקבלים התראה."),
    ],
)
def test_a_plain_sentence(language: str, text: str) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize("text", ["", "   ", "12345 67", "!?…", "Kxq Zrt"])
def test_nothing_to_go_by(text: str) -> None:
    assert guess_language(text) == ""


def test_a_foreign_name_does_not_turn_the_guess() -> None:
    assert guess_language("شرکت Siemens و Bosch در ایران فعالیت می‌کنند.") == "fa"
