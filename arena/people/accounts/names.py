"""Check names of people and bots, find those that look like another, and find users."""

import unicodedata
from collections.abc import Container, Iterable
from functools import cache
from itertools import chain, count
from pathlib import Path

from allauth.account.models import EmailAddress
from anyascii import anyascii
from django.db.models import Q, QuerySet
from django.utils.text import slugify

from arena.core.errors import ArenaError
from arena.people.accounts.models import User, is_in_usernames, normalise_name
from engine.message import Message, gettext_noop, literal, message

# Check names of people and bots, and find those that look like another.
#
# Only new names are checked: those that exist keep working. A name has letters of one script, or of an East Asian one
# beside Latin, so that none is a copy of another in letters that only look the same. Two names are the same if they
# have one skeleton. Staff is told of those that come to be all the same: by older names, or at the same moment.
#
# What looks like what is Unicode's list of confusable characters, whatever their scripts, with some letters of our own
# that it lacks: by it a whole word of one script can read as Latin. Accents tell names apart.

RESERVED_NAMES = frozenset(
    {
        *("admin", "administrator", "anonymous", "api", "arena", "edit", "help", "house", "me", "moderator", "new"),
        *("none", "null", "pennant", "root", "staff", "support", "system"),
    }
)
"""Names that speak for the site, and words that stand beside names in its addresses."""
UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
UNSEEN_LETTERS = frozenset(
    {*(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x2D7F, 0x3164, 0xFE73, 0xFFA0, 0xFFFC)}
    | {*(0x1107F, 0x13441, 0x13442, 0x16FE4, 0x1D159)}
)
"""Fillers, joiners and blanks that Unicode counts as letters, marks or symbols."""
VARIATION_SELECTORS = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
NO_SCRIPT = frozenset({"COMBINING", "MODIFIER", "VARIATION"})
"""First words of the names of marks that belong to letters of any script."""
SCRIPTS_BY_FIRST_WORD = {
    **dict.fromkeys(("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"), "EAST ASIAN"),
    **dict.fromkeys(("HANGUL", "BOPOMOFO"), "EAST ASIAN"),
    **dict.fromkeys(("ARABIC-INDIC", "EXTENDED"), "ARABIC"),
}
"""Scripts that are written together, and digits whose names begin otherwise."""
BESIDE_LATIN = {"LATIN", "EAST ASIAN"}
"""Scripts that people mix in one name, and whose letters don't look alike."""
MAX_MARKS_IN_A_ROW = 4
"""Hebrew with points has three on a letter, and stacks of Tibetan letters four."""
SCRIPT_NAMES = {
    "LATIN": gettext_noop("Latin"),
    "CYRILLIC": gettext_noop("Cyrillic"),
    "GREEK": gettext_noop("Greek"),
    "EAST ASIAN": gettext_noop("East Asian"),
}
LOOKALIKES = str.maketrans(
    {
        **dict(zip("аеорсухіјѕԁԛԝһкмтвнзѵӏ", "aeopcyxljsdqwhkmtbn3vl", strict=True)),
        **dict(zip("αορνυικτχεηβγω", "aopvulktxenbyw", strict=True)),
        **dict(zip("ζμσϝгү", "zmofry", strict=True)),
        **dict(zip("օսհոցքռզաեյ", "ouhngpnqwel", strict=True)),
        **dict(zip("ᎪᏏᏴᏟᏧᎠᎬᏀᏳᏂᎻᎥᎫᏦᏞᎷᏢᎡᏒᏕᏚᎢᏙᎳᏔᎩᎽᏃ", "abbcddegghhljklmprrsstvwwyyz", strict=True)),
        **dict(zip("ꓮꓐꓚꓒꓓꓰꓝꓖꓧꓙꓗꓲꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ", "abcddefghjkllmnoprstuvwxyz", strict=True)),
        **dict(zip("ⲁⲃⲥⲉⲏⲓⲕⲙⲛⲟⲣⲧⲩⲭⲍ", "abcehlkmnoptyxz", strict=True)),
        **dict(zip("ᗅᑲᗷᑯᗞᗪᖴᕼᒍᒪᗰᑭᖇᑌᐯᕁ", "abbdddfhjlmpruvx", strict=True)),
        **dict(zip("ⵏⵔⵙⵝჿყဝഠଠ", "looxoyooo", strict=True)),
        **dict(zip("01i|!ıɩɑɡ", "ollllllag", strict=True)),
        **dict.fromkeys("〇\u110b०০੦૦୦௦౦೦൦๐໐၀\u0665\u06f5\u0647", "o"),
        **dict.fromkeys("\u1175丨ᛁ\u0627\u06f1\u05d5\u05df", "l"),
        # Digits and letters that Arabic and Persian write alike.
        **dict(zip("\u0660\u0661\u0662\u0663\u0667\u0668\u0669", "\u06f0l\u06f2\u06f3\u06f7\u06f8\u06f9", strict=True)),
        **dict(zip("\u0649\u06cc\u06a9", "\u064a\u064a\u0643", strict=True)),
        **dict(zip("ニカロー工タトハヘ", "二力口一工夕卜八へ", strict=True)),
        # Letters that look like two, or like one with a stroke or a hook.
        **{"æ": "ae", "ӕ": "ae", "œ": "oe", "ы": "bl", "ю": "lo", "\U00011700": "m", "\U000118e3": "m"},
        **dict(zip("өѳθⴱᎾᏫѣҍћƞ", "ɵɵɵɵɵɵƀƀħn", strict=True)),
        **dict(zip("➀➁➂➃➄➅➆➇➈➊➋➌➍➎➏➐➑➒❶❷❸❹❺❻❼❽❾", 3 * "l23456789", strict=True)),
        **{"ҫ": "c\u0326", "қ": "k\u0329", "ң": "h\u0329"},
    }
)
"""Letters that look like Latin ones, or those of one East Asian script like another's; 1, i and l look the same."""
LOOKALIKES_FILE = Path(__file__).parent / "lookalikes.txt"
"""The same for all scripts, by Unicode: lines of letters that look alike; `tests.tools.lookalikes` writes it."""
LOOKALIKE_CAPITALS = str.maketrans(dict(zip("ΗΝΥЗГΓ", "hnyzгг", strict=True)))
"""Capitals that look like other Latin letters than their small ones do."""
RESERVED = gettext_noop("The name %(name)s is reserved: choose another.")
LOOKS_TAKEN = gettext_noop("The name %(name)s looks like %(other)s, which is taken: choose another.")
MAX_SUGGESTIONS = 99
MAX_SUGGESTED_LENGTH = 40
LOOKALIKE_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))


class BadName(ArenaError):
    """The name is not one for a person or a bot; the message says why."""


def check_name(name: str, *, is_reserved_allowed: bool = False) -> str:
    """Return a new name as it is to be stored: in nearly the form NFKC, with single spaces. Raises BadName."""
    for character in name:
        _check_visible(character)
    name = " ".join(normalise_name(name).split())
    for character in name:
        _check_visible(character)
    _check_marks(name)
    _check_script(name)
    if not is_reserved_allowed and name.casefold() in RESERVED_NAMES:
        raise BadName(message(RESERVED, name=name))
    return name


def find_lookalikes(name: str, others: Iterable[str]) -> list[str]:
    """Return those of the other names, and of the reserved ones, that are the same as this one or look like it."""
    keys = _build_keys(name)
    candidates = {*others, *(RESERVED_NAMES - {name})}
    return sorted(other for other in candidates if not keys.isdisjoint(_build_keys(other)))


def check_unlike(name: str, others: Iterable[str]) -> None:
    """Raise BadName for a new name that is the same as one of the others, or looks like it or like a reserved one."""
    for other in find_lookalikes(name, others):
        if other in RESERVED_NAMES:
            raise BadName(message(RESERVED, name=name))
        raise BadName(message(LOOKS_TAKEN, name=name, other=other))


def build_skeleton(name: str) -> str:
    """Return what a name looks like at a glance: names that are easily confused have the same skeleton."""
    shapes = read_shapes()
    skeleton = unicodedata.normalize("NFKD", name).translate(LOOKALIKE_CAPITALS).translate(shapes).casefold()
    skeleton = skeleton.translate(LOOKALIKES).translate(shapes).casefold().translate(LOOKALIKES)
    for pair, letter in LOOKALIKE_PAIRS:
        skeleton = skeleton.replace(pair, letter)
    return "".join(one for one in skeleton if unicodedata.category(one)[0] not in "PZ")


@cache
def read_shapes() -> dict[int, str]:
    """Return for each letter, digit and mark of any script that looks like another the one that stands for them."""
    lines = LOOKALIKES_FILE.read_text(encoding="utf-8").splitlines()
    return {ord(one): line[0] for line in lines for one in line[1:]}


def _build_keys(name: str) -> set[str]:
    """Return the skeletons of a name as it is written and in small letters, which some capitals don't look like."""
    return {build_skeleton(name), build_skeleton(name.casefold())}


def make_slug(name: str, most: int = 50) -> str:
    """Return a name as a part of an address, spelt in Latin letters; empty where it has neither letters nor digits."""
    spelt = (anyascii(one) if unicodedata.category(one)[0] in "LMN" else one for one in name)
    return slugify("".join(spelt))[:most].strip("-")


def find_free_slug(stem: str, taken: Container[str], most: int = 50) -> str:
    """Return this slug, or the first with a number that isn't taken."""
    numbered = (f"{stem[: most - len(str(number)) - 1]}-{number}" for number in count(2))
    return next(slug for slug in chain([stem], numbered) if slug not in taken)


def _check_visible(character: str) -> None:
    code = ord(character)
    is_unseen = code in UNSEEN_LETTERS or any(code in selectors for selectors in VARIATION_SELECTORS)
    if unicodedata.category(character) in UNSEEN_CATEGORIES or is_unseen:
        problem = gettext_noop("The name contains an invisible character (%(code)s): remove it.")
        raise BadName(message(problem, code=_write_code(character)))


def _check_marks(name: str) -> None:
    marks = 0
    for number, character in enumerate(name):
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if marks > MAX_MARKS_IN_A_ROW or number == 0 and unicodedata.category(character)[0] == "M":
            problem = gettext_noop(
                "The name has a mark without a letter, or too many marks on one letter (%(code)s): remove it."
            )
            raise BadName(message(problem, code=_write_code(character)))


def _check_script(name: str) -> None:
    """Check that all letters are of one script; the letter that is named is the first of the rarer script."""
    letters = [(script, character) for character in name if (script := _find_script(character))]
    scripts = sorted({script for script, _ in letters}, key=[script for script, _ in letters].count)
    if len(scripts) < 2 or BESIDE_LATIN.issuperset(scripts):
        return
    rare, common = scripts[0], scripts[-1]
    raise BadName(
        message(
            gettext_noop(
                "All letters in a name must be from the same script, but %(letter)s (%(code)s) is %(rare)s "
                "and others are %(common)s."
            ),
            letter=next(character for script, character in letters if script == rare),
            code=_write_code(next(character for script, character in letters if script == rare)),
            rare=_describe_script(rare),
            common=_describe_script(common),
        )
    )


def _find_script(character: str) -> str:
    """Return the script of a letter, a mark or a digit; empty for what all scripts share."""
    if character.isascii() and not character.isalpha() or unicodedata.category(character)[0] not in "LMN":
        return ""
    first = unicodedata.name(character, "").partition(" ")[0]
    return "" if first in NO_SCRIPT else SCRIPTS_BY_FIRST_WORD.get(first, first)


def _describe_script(script: str) -> Message:
    return message(SCRIPT_NAMES[script]) if script in SCRIPT_NAMES else literal(script.capitalize())


def _write_code(character: str) -> str:
    return f"U+{ord(character):04X}"


def suggest_username(wanted: str) -> str:
    """Return a username that is free and allowed, as near to the wanted one as can be; empty where none is near."""
    stem = "".join(character for character in wanted.partition("@")[0].replace(" ", ".") if is_in_usernames(character))
    others = list_usernames() if stem else []
    for number in range(1, MAX_SUGGESTIONS + 1) if stem else ():
        try:
            name = check_name(stem[:MAX_SUGGESTED_LENGTH] + (str(number) if number > 1 else ""))
            check_unlike(name, others)
        except BadName:
            continue
        return name
    return ""


# Find users.


def find_author(username: str) -> User | None:
    """Return the user of this name whom the site shows, or None: those who may sign in, and those who are banned."""
    return list_authors().filter(username=username).first() if "\0" not in username else None


def list_authors() -> QuerySet[User]:
    """List the users whom the site shows: those who may sign in, and those who are banned."""
    return User.objects.filter(Q(is_active=True) | Q(is_banned=True))


def find_user(username: str) -> User | None:
    """Return the user of this name, those who may not sign in included, or None."""
    return User.objects.filter(username=username).first() if "\0" not in username else None


def find_typed_username(typed: str) -> str:
    """Return the name of the user that somebody means who signs in; what was typed if there is none.

    Keyboards compose letters differently, and names from earlier releases are stored in the form NFKC.
    """
    forms = (typed, normalise_name(typed), unicodedata.normalize("NFKC", typed))
    return next((name for name in forms if find_user(name) is not None), typed)


def list_usernames() -> list[str]:
    """Return the names of all users, those who may not sign in included."""
    return list(User.objects.values_list("username", flat=True))


def fetch_other_usernames(user: User) -> list[str]:
    """Return the names of all other users, those who may not sign in included."""
    return list(User.objects.exclude(pk=user.pk).values_list("username", flat=True))


def list_staff() -> QuerySet[User]:
    """List the users who may work in the admin."""
    return User.objects.filter(is_staff=True, is_active=True)


def list_addresses(user: User) -> QuerySet[EmailAddress]:
    """List the mail addresses of a user, those not confirmed included."""
    addresses: QuerySet[EmailAddress] = EmailAddress.objects.filter(user=user)
    return addresses


def is_confirmed_address(email: str) -> bool:
    """Return whether somebody confirmed this mail address."""
    return bool(EmailAddress.objects.filter(email__iexact=email, verified=True).exists())


def find_confirmed_address(user: User) -> str | None:
    """Return the confirmed address of a user, the primary one if it is confirmed; None if none is."""
    confirmed = list_addresses(user).filter(verified=True).order_by("-primary", "pk")
    return confirmed.values_list("email", flat=True).first()
