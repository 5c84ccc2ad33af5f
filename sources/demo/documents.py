"""The manifest of the demo: its tenants, people, shelves and documents, and what they are good for.

Names and numbers that stand only in restricted documents are listed as `secrets`, so that tests can look for
leaks; `facts` are sentences (or table rows) that a reader of the document must be able to find.
"""

from dataclasses import dataclass
from pathlib import Path

from sources.core.extract.types import FailureReason

FOLDER = Path(__file__).parent
DEMO_PASSWORD = "citeweb-demo"


@dataclass(frozen=True, slots=True)
class DemoCollection:
    """A shelf; a restricted one is read only by users with a grant."""

    name: str
    restricted: bool = False


@dataclass(frozen=True, slots=True)
class DemoUser:
    """A person's membership in one tenant. The same e-mail in two tenants is the same person."""

    email: str
    display_name: str
    roles: tuple[str, ...]
    grants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DemoDocument:
    """A file and what its upload must lead to: ready when `failure` is None, otherwise failed for that reason."""

    file_name: str
    title: str
    collection: str
    language: str
    facts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    failure: FailureReason | None = None


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """A sentence that answers a question, word for word, and the file in which it stands."""

    file_name: str
    sentence: str


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A good first question. Several answers mean that the documents disagree and both belong in the answer."""

    text: str
    language: str
    answers: tuple[DemoAnswer, ...]


@dataclass(frozen=True, slots=True)
class DemoTenant:
    """An organisation with everything that is in it."""

    slug: str
    name: str
    collections: tuple[DemoCollection, ...]
    users: tuple[DemoUser, ...]
    documents: tuple[DemoDocument, ...]
    questions: tuple[DemoQuestion, ...]

    def path(self, document: DemoDocument) -> Path:
        """Return where the document's file lies."""
        return FOLDER / self.slug / document.file_name

    def is_restricted(self, document: DemoDocument) -> bool:
        """Say whether the document lies on a restricted shelf."""
        return any(shelf.restricted for shelf in self.collections if shelf.name == document.collection)


ROBIN = DemoUser("robin@citeweb.example", "Robin Tamm", ("member",))

AURORA = DemoTenant(
    slug="aurora",
    name="Aurora Cloud",
    collections=(
        DemoCollection("Policies"),
        DemoCollection("Engineering"),
        DemoCollection("Leadership", restricted=True),
        DemoCollection("Incoming"),
    ),
    users=(
        DemoUser("ada@aurora.example", "Ada Brandvik", ("admin", "curator"), ("Leadership",)),
        DemoUser("milo@aurora.example", "Milo Teixeira", ("member",)),
        DemoUser("audrey@aurora.example", "Audrey Lindqvist", ("auditor",)),
        ROBIN,
    ),
    documents=(
        DemoDocument(
            "pricing-policy.pdf",
            "Pricing Policy",
            "Policies",
            "en",
            facts=(
                "Enterprise customers receive usage alerts at 80% and 100% of their monthly budget.",
                "Team customers receive a single alert at 100%.",
                "Enterprise €2,400 20,000 10 TB Priority",
                "Customers who pay a full year in advance receive 10% off the monthly fee.",
            ),
        ),
        DemoDocument(
            "pricing-policy-fa.pdf",
            "سیاست قیمت‌گذاری",
            "Policies",
            "fa",
            facts=(
                "مشتریان سازمانی وقتی مصرفشان به ۸۰٪ و ۱۰۰٪ بودجه ماهانه برسد، هشدار مصرف دریافت می‌کنند.",
                "مشتریان طرح تیمی تنها یک هشدار در ۱۰۰٪ می‌گیرند.",
                "سازمانی ۲۴۰۰ یورو ۲۰۰۰۰ ۱۰ ترابایت ویژه",
            ),
        ),
        DemoDocument(
            "support-sla.md",
            "Support SLA",
            "Policies",
            "en",
            facts=(
                "Priority support tickets receive an initial response within four business hours.",
                "Standard support tickets receive an initial response within one business day.",
                "An engineer begins to work on a reported outage within 30 minutes.",
            ),
        ),
        DemoDocument(
            "travel-policy-2022.pdf",
            "Travel Policy 2022",
            "Policies",
            "en",
            facts=(
                "Hotel costs are reimbursed up to €120 per night, breakfast included.",
                "The use of a private car is reimbursed at €0.30 per kilometre.",
            ),
        ),
        DemoDocument(
            "travel-policy-2026.md",
            "Travel Policy 2026",
            "Policies",
            "en",
            facts=(
                "Hotel costs are reimbursed up to €165 per night, breakfast included.",
                "This version replaces version 2 of 1 March 2022.",
            ),
        ),
        DemoDocument(
            "incident-review-metering.pdf",
            "Incident Review: Delayed Metering on 14 April 2026",
            "Engineering",
            "en",
            facts=(
                "The immediate cause was an outdated configuration file on one machine.",
                "Thirteen of the 41 customers exceeded their monthly budget before they were informed.",
            ),
        ),
        DemoDocument(
            "salary-bands-2026.pdf",
            "Salary Bands 2026",
            "Leadership",
            "en",
            facts=(
                "L3 Senior Specialist or Engineer 61,300 69,850 78,400",
                "The retention bonus for the metering team is €4,350 per person, paid once in December 2026.",
            ),
            secrets=("69,850", "128,750", "4,350", "retention bonus", "0.82"),
        ),
        DemoDocument(
            "board-minutes-2026-06.md",
            "Board Minutes, 18 June 2026",
            "Leadership",
            "en",
            facts=(
                "The lease of the Porto office ends on 31 March 2027.",
                "The seller asks for €4.6 million.",
            ),
            secrets=("Halyard", "3.85 million", "€36,500", "31 March 2027", "lease of the Porto office"),
        ),
        DemoDocument(
            "supplier-agreement.pdf", "Supplier Agreement", "Incoming", "en", failure=FailureReason.ENCRYPTED
        ),
        DemoDocument(
            "usage-archive-2019.pdf", "Usage Archive 2019", "Incoming", "en", failure=FailureReason.CORRUPT
        ),
        DemoDocument(
            "office-floor-plan.pdf",
            "Office Floor Plan",
            "Incoming",
            "en",
            failure=FailureReason.UNSUPPORTED_TYPE,
        ),
    ),
    questions=(
        DemoQuestion(
            "When do enterprise customers get budget alerts?",
            "en",
            (
                DemoAnswer(
                    "pricing-policy.pdf",
                    "Enterprise customers receive usage alerts at 80% and 100% of their monthly budget.",
                ),
            ),
        ),
        DemoQuestion(
            "مشتریان سازمانی چه زمانی هشدار بودجه می‌گیرند؟",
            "fa",
            (
                DemoAnswer(
                    "pricing-policy-fa.pdf",
                    "مشتریان سازمانی وقتی مصرفشان به ۸۰٪ و ۱۰۰٪ بودجه ماهانه برسد، هشدار مصرف دریافت می‌کنند.",
                ),
            ),
        ),
        DemoQuestion(
            "How soon is a priority support ticket answered?",
            "en",
            (
                DemoAnswer(
                    "support-sla.md",
                    "Priority support tickets receive an initial response within four business hours.",
                ),
            ),
        ),
        DemoQuestion(
            "Up to what price per night are hotel costs reimbursed?",
            "en",
            (
                DemoAnswer(
                    "travel-policy-2026.md",
                    "Hotel costs are reimbursed up to €165 per night, breakfast included.",
                ),
                DemoAnswer(
                    "travel-policy-2022.pdf",
                    "Hotel costs are reimbursed up to €120 per night, breakfast included.",
                ),
            ),
        ),
    ),
)

COLLEGIUM = DemoTenant(
    slug="collegium",
    name="Collegium Linguarum",
    collections=(
        DemoCollection("House and Chronicle"),
        DemoCollection("Library"),
        DemoCollection("Council", restricted=True),
        DemoCollection("Arrivals"),
    ),
    users=(
        DemoUser("parisa@collegium.example", "Parisa Niknam", ("curator",), ("Council",)),
        DemoUser("marcus@collegium.example", "Marcus Vale", ("member",)),
        ROBIN,
    ),
    documents=(
        DemoDocument(
            "chronicon-collegii.pdf",
            "Chronicon Collegii",
            "House and Chronicle",
            "la",
            facts=(
                "In ea inundatione ducenti duodecim libri perierunt.",
                "Primo anno undecim discipuli in collegium recepti sunt.",
                "Campanae nomen Silvia inditum est.",
            ),
        ),
        DemoDocument(
            "leges-domus.md",
            "Leges Domus",
            "House and Chronicle",
            "la",
            facts=(
                "Ianua maior hora decima vespertina clauditur.",
                "Hospites usque ad horam nonam vespertinam recipi possunt.",
            ),
        ),
        DemoDocument(
            "lending-rules.md",
            "Lending Rules",
            "Library",
            "en",
            facts=(
                "Each member may borrow up to six books at a time for 21 days.",
                "A loan can be renewed twice, each time for 21 days, unless another reader is waiting.",
            ),
        ),
        DemoDocument(
            "library-guide-fa.md",
            "راهنمای کتابخانه",
            "Library",
            "fa",
            facts=(
                "هر عضو می‌تواند هم‌زمان تا شش کتاب را به مدت ۲۱ روز به امانت بگیرد.",
                "جریمهٔ دیرکرد برای هر کتاب روزی ۲۰ سنت است و از ۵ یورو بیشتر نمی‌شود.",
            ),
        ),
        DemoDocument(
            "course-catalogue-2026.pdf",
            "Course Catalogue 2026–27",
            "Library",
            "en",
            facts=(
                "Course fees are paid in two equal instalments, by 15 October and by 15 February.",
                "PER-304 Reading Manuscripts Fri 2 6 €290",
            ),
        ),
        DemoDocument(
            "council-minutes-2026-03.pdf",
            "Council Minutes, 9 March 2026",
            "Council",
            "en",
            facts=(
                "A builder from the neighbouring town has offered €272,000 for the lower orchard.",
                "She values them at €164,000 together;",
            ),
            secrets=("272,000", "164,000", "97,500", "B-26-09", "orchard"),
        ),
        DemoDocument("letter-of-1991.pdf", "Letter of 1991", "Arrivals", "en", failure=FailureReason.NO_TEXT),
        DemoDocument("reading-list.md", "Reading List", "Arrivals", "en", failure=FailureReason.EMPTY),
    ),
    questions=(
        DemoQuestion(
            "Quot libri in inundatione perierunt?",
            "la",
            (DemoAnswer("chronicon-collegii.pdf", "In ea inundatione ducenti duodecim libri perierunt."),),
        ),
        DemoQuestion(
            "هر عضو چند کتاب می‌تواند به امانت بگیرد؟",
            "fa",
            (
                DemoAnswer(
                    "library-guide-fa.md", "هر عضو می‌تواند هم‌زمان تا شش کتاب را به مدت ۲۱ روز به امانت بگیرد."
                ),
            ),
        ),
        DemoQuestion(
            "When do course fees have to be paid?",
            "en",
            (
                DemoAnswer(
                    "course-catalogue-2026.pdf",
                    "Course fees are paid in two equal instalments, by 15 October and by 15 February.",
                ),
            ),
        ),
        DemoQuestion(
            "Qua hora ianua maior clauditur?",
            "la",
            (DemoAnswer("leges-domus.md", "Ianua maior hora decima vespertina clauditur."),),
        ),
    ),
)

TENANTS = (AURORA, COLLEGIUM)


def first_questions(slug: str) -> tuple[str, ...]:
    """Return the demo tenant's first questions, or nothing for any other tenant.

    They concern only documents that the whole tenant may read.
    """
    return tuple(question.text for tenant in TENANTS if tenant.slug == slug for question in tenant.questions)
