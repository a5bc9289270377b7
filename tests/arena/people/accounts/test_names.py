"""Names: of one script, all to be seen, none that speaks for the site; staff is told which look like another."""

import pytest
from django.contrib.auth.models import Permission
from django.core.cache import cache
from django.test import Client
from django.utils.translation import override
from pytest_django.fixtures import Settings

from arena.bots.models import Bot
from arena.bots.queries import find_typed_bot
from arena.bots.running import list_samples
from arena.bots.services import create_bot
from arena.bots.teams import issue_token
from arena.core.messages import render_message
from arena.operations.staff_acts import report_new_account, report_new_bot
from arena.people.accounts.models import User
from arena.people.accounts.names import (
    LOOKALIKES_FILE,
    RESERVED_NAMES,
    BadName,
    build_skeleton,
    check_name,
    find_lookalikes,
)
from arena.people.groups.services import create_group
from arena.people.notices.models import Notice
from engine.registry import GAMES
from tests.arena.api.played import Script

PASSWORD = "four flags of nine"
MIXED = "pаul"  # the second letter is Cyrillic
CYRILLIC = "раӏ"  # looks like pal


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("paul", "paul"),
        ("King  Fisher 2", "King Fisher 2"),
        ("Ödön", "Ödön"),
        ("O\u0308do\u0308n", "Ödön"),
        ("ﬁsh", "fish"),
        ("ｐａｕｌ", "paul"),
        ("น้ำ", "น้ำ"),
        ("Արև", "Արև"),
        ("паул", "паул"),
        ("Ωμέγα", "Ωμέγα"),
        ("東京タワー", "東京タワー"),
        ("佐々木Bot", "佐々木Bot"),
        ("हिन्दी३", "हिन्दी३"),
        ("نعم٣", "نعم٣"),
        ("🙂 bot", "🙂 bot"),
    ],
)
def test_a_name_of_one_script_is_stored_in_one_form(name: str, stored: str) -> None:
    assert check_name(name) == stored


@pytest.mark.parametrize(
    ("name", "letter", "rare", "common"),
    [
        (MIXED, "а (U+0430)", "Cyrillic", "Latin"),
        ("паyл", "y (U+0079)", "Latin", "Cyrillic"),
        ("Αlpha", "Α (U+0391)", "Greek", "Latin"),
        ("٣abc", "٣ (U+0663)", "Arabic", "Latin"),
        ("東京я", "я (U+044F)", "Cyrillic", "East Asian"),
    ],
)
def test_a_mixed_name_is_refused_with_the_letter(name: str, letter: str, rare: str, common: str) -> None:
    with pytest.raises(BadName) as refused:
        check_name(name)
    sentence = f"All letters in a name must be from the same script, but {letter} is {rare} and others are {common}."
    assert str(refused.value) == sentence
    with override("hu"):
        assert render_message(refused.value.message) != sentence


UNSEEN = [
    *(0x00, 0x07, 0xAD, 0x34F, 0x115F, 0x180E, 0x200B, 0x200D, 0x200F, 0x202E, 0x2066, 0x2800, 0x3164, 0xFE0F),
    *(0xFEFF, 0xFFA0, 0xE000, 0xE0041, 0xE0100),
]


def test_what_can_not_be_seen_is_refused() -> None:
    for code in UNSEEN:
        with pytest.raises(BadName, match=rf"an invisible character \(U\+{code:04X}\)"):
            check_name(f"pa{chr(code)}ul")


def test_a_name_that_speaks_for_the_site_is_refused() -> None:
    for name in ("new", "Admin", "PENNANT", " staff ", "ａｐｉ"):
        with pytest.raises(BadName, match="is reserved: choose another"):
            check_name(name)


def test_no_sample_has_a_reserved_name() -> None:
    assert not RESERVED_NAMES & {name for game in GAMES for name in list_samples(game)}


@pytest.mark.parametrize(
    ("name", "other"),
    [("pau1", "paul"), ("Paul", "pauI"), ("rnark", "mark"), ("vvalter", "walter"), ("clora", "dora"), ("0tto", "otto")]
    + [(CYRILLIC, "pal"), ("adm1n", "admin"), ("suρρort", "support"), ("ΗΑΤ", "hat"), ("ΗΑΤ", "ηατ"), ("ᎪᏟᎬ", "ace")]
    + [("ꓮꓐꓳ", "abo"), ("ニカ", "二力"), ("١٢", "۱۲"), ("ПАВЕЛ", "павел"), ("Heron-2", "heron 2")],
)
def test_what_looks_the_same_is_found(name: str, other: str) -> None:
    assert find_lookalikes(name, ["nobody", other]) == [other]


WHOLE_WORDS = [  # of one script each, which read as Latin or as another script
    *(("расе", "pace"), ("ΟΜΑΗΑ", "omaha"), ("սոռօ", "unno"), ("ꓮꓡꓰꓫ", "alex"), ("𐊠𐊡", "AB"), ("ⲔⲞⲢ", "kop")),
    *(("ᎷᎪᎡᎬ", "mare"), ("ⵔⵏⵔ", "oio"), ("০০৭", "oo9"), ("ዐ", "o"), ("𐐄𐐕𐐄", "oco"), ("ᗪᗷ", "db"), ("ꭺꮯꭼ", "ace")),
    *(("Ыар", "blap"), ("ӕон", "aeon"), ("Юс", "loc"), ("ёо", "ëo"), ("їх", "ïx"), ("Ѳер", "Өер"), ("ГОРА", "ΓΟΡΑ")),
]
SAME_LETTERS = [  # in one script, with other marks, digits, symbols, emoji or punctuation
    *(("țara", "ţara"), ("măr", "mǎr"), ("OʼNeill", "O'Neill"), ("a−b", "a-b"), ("aꟷb", "a–b"), ("æsir", "aesir")),
    *(("①②", "12"), ("➀➁", "12"), ("𝟙𝟚", "12"), ("１２", "12"), ("४२", "४२ "), ("𝓗𝓮𝓻𝓸𝓷", "Heron"), ("Ⓗeron", "Heron")),
    *(("戶田", "戸田"), ("郎", "郞"), ("ﻋﻠﻲ", "علي"), ("علی", "علي"), ("كمال", "کمال"), ("ﷺ", "صلى الله عليه وسلم")),
    *(
        ("한국", "한국"),
        ("ｶﾀ", "カタ"),
        ("Արև", "Արեւ"),
        ("น้ำ", "น้\u0e4dา"),
        ("が", "か\u3099"),
        ("é", "e\u0301"),
        ("ệ", "ê\u0323"),
        ("Straße", "STRASSE"),
    ),
]


@pytest.mark.parametrize(("name", "other"), WHOLE_WORDS + SAME_LETTERS)
def test_a_copy_in_other_letters_is_found(name: str, other: str) -> None:
    assert find_lookalikes(check_name(name), [check_name(other), "nobody"]) == [check_name(other)]


HIDDEN = {
    "zero width": "\u200b \u200c \u200d \u2060 \ufeff \u180e",
    "bidi": "\u061c \u200e \u200f \u202a \u202b \u202c \u202d \u202e \u2066 \u2067 \u2068 \u2069",
    "fillers": "\u115f \u1160 \u3164 \uffa0 \u2800 \U00013441 \U00016fe4 \U0001d159 \u17b4 \u17b5 \u034f",
    "variation selectors": "\ufe00 \ufe0e \ufe0f \U000e0100 \U000e01ef \u180b \u180f",
    "tags": "\U000e0001 \U000e0061 \U000e007f",
    "joined emoji": "👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3",
    "stacked marks": "e\u0301\u0302\u0303\u0304\u0306\u0307 \u0301e",
    "scripts beside each other": "pаul Ꭺlice αlex aⅼ\u0430 ٣a १a ৪a a\u05d0 я東京 𝒜я",
}


@pytest.mark.parametrize("kind", HIDDEN)
def test_what_hides_or_mixes_is_refused(kind: str) -> None:
    for part in HIDDEN[kind].split(" "):
        with pytest.raises(BadName):
            check_name(part if len(part) > 1 else f"He{part}ron")


def test_plain_letters_stay_apart_in_comparison() -> None:
    plain = "abcdefghjkmnopqrstuvwxyzl23456789"
    assert [build_skeleton(letter) for letter in plain] == list(plain)
    lines = LOOKALIKES_FILE.read_text().splitlines()
    assert len({letter for line in lines for letter in line}) == sum(map(len, lines)) > 1900
    for alphabet in ("абвгдежзийклмнопрстуфхцчшщъьэя", "กขคงจฉชซดตทนบปผพภมยรลวสหอ", "אבגדהוזחטיכלמנסעפצקרשת"):
        assert len(set(map(build_skeleton, alphabet))) == len(alphabet), alphabet


def test_accents_tell_names_apart() -> None:
    assert find_lookalikes("Ádám", ["Adam", "Ádam", "ádámka"]) == []


def sign_up(name: str) -> str:
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    answer = Client().post("/accounts/signup/", form)
    return "" if answer.status_code == 302 else " ".join(answer.context["form"].errors["username"])


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_user("sofia", is_staff=True)


def list_notices(user: User) -> list[tuple[str, str]]:
    return [(str(notice.text), notice.url) for notice in Notice.objects.filter(user=user)]


def test_the_form_of_a_sign_up_checks_the_name_and_tells_staff(ana: User, staff: User) -> None:
    assert "U+0430" in sign_up(MIXED)
    assert "reserved" in sign_up("Support")
    assert sign_up("benjamin") == ""
    taken = "looks like benjamin, which is taken"
    assert taken in sign_up("benjarnin") and list_notices(staff) == []
    new = User.objects.create_user("benjarnin")
    report_new_account(user=new)
    told = "The name of new user benjarnin looks like another: benjamin."
    assert list_notices(staff) == [(told, f"/admin/accounts/user/{new.pk}/change/")]
    assert list_notices(ana) == []


def test_the_api_checks_the_name_of_a_bot_and_tells_staff(ana: User, ben: User, staff: User) -> None:
    create_bot(owner=ben, name="Heron", game="battleline")
    for name, part in ((MIXED, "U+0430"), ("New", "reserved"), ("n.e.w", "reserved"), ("He\u200bron", "U+200B")):
        answer = Script(ana).post("/bots/", {"name": name, "game": "battleline"})
        assert answer.status_code == 400 and part in answer.json()["error"]["fields"]["name"][0]
    answer = Script(ana).post("/bots/", {"name": "Her0n", "game": "battleline"})
    assert answer.status_code == 409 and "called Heron already" in answer.json()["error"]["message"]
    assert list_notices(staff) == []
    bot = Bot.objects.create(owner=ana, name="Her0n", slug="her0n", game="battleline")
    report_new_bot(bot=bot)
    told = "The name of new bot Her0n looks like another: Heron."
    assert list_notices(staff) == [(told, "/bots/her0n/")]


NAMES = [  # name, its address, and a name of another script or form that can't be told from it or is the same
    ("Odon", "odon", "0don"),
    ("Heron", "heron", "HERON"),
    ("Ödön", "odon-2", "Ödön".upper()),
    ("сосна", "sosna", "Сосна"),
    ("Ωμέγα", "omega", "ΩΜΈΓΑ"),
    ("Հայկ", "hayk", "հայկ"),
    ("אריה", "ryh", "אריה."),
    ("أسد", "sd", "أ.سد"),
    ("हिन्दी३", "hindi3", "हिन्दी-३"),
    ("বাংলা", "bamla", "বাং-লা"),
    ("தமிழ்", "tmil", "தமி-ழ்"),
    ("తెలుగు", "telugu", "తె.లుగు"),
    ("ಕನ್ನಡ", "knnd", "ಕ.ನ್ನಡ"),
    ("മലയാളം", "mlyalm", "മ.ലയാളം"),
    ("ગુજરાતી", "gujrati", "ગુ.જરાતી"),
    ("ਪੰਜਾਬੀ", "pmjabi", "ਪੰ.ਜਾਬੀ"),
    ("සිංහල", "simhl", "සිං.හල"),
    ("ไทยที่", "aithythi", "ไทย.ที่"),
    ("ລາວ", "lav", "ລ.າວ"),
    ("ខ្មែរ", "khmaer", "ខ្មែ.រ"),
    ("မြန်မာ", "mrnma", "မြန်.မာ"),
    ("ქართული", "kartuli", "ქართ.ული"),
    ("አማርኛ", "amarnya", "አማ.ርኛ"),
    ("བོད", "bod", "བོ.ད"),
    ("北京队", "beijingdui", "北京-队"),
    ("東京タワー", "dongjingtawa", "東京夕ワ一"),
    ("한국봇AI", "hangugbosai", "한국봇ai"),
    ("ㄅㄆㄇ", "bpm", "ㄅ.ㄆㄇ"),
    ("ᏣᎳᎩ", "tsalagi", "ᏣᎳ.Ꭹ"),
]


def test_all_scripts_come_in_at_every_door_and_doubles_do_not(ben: User, settings: Settings) -> None:
    settings.MAX_SIGN_UPS_PER_HOUR = settings.MAX_BOTS_PER_OWNER = 2 * len(NAMES)
    ben.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    organiser = User.objects.get(pk=ben.pk)
    api = Script(ben)
    for name, slug, double in NAMES:
        cache.clear()  # which counts sign-ups
        assert sign_up(name) == "" and sign_up(double) != "", name
        assert Client().get(User.objects.get(username=name).get_absolute_url()).status_code == 200
        bot = api.post("/bots/", {"name": name, "game": "battleline"}).json()
        assert (bot.get("name"), bot.get("slug")) == (name, slug)
        assert api.post("/bots/", {"name": double, "game": "battleline"}).status_code in (400, 409), name
        assert find_typed_bot(ben, "battleline", name) == Bot.objects.get(name=name)
        group = create_group(owner=organiser, name=name)
        assert (group.name, group.slug) == (name, slug.removesuffix("-2"))
        group.delete()
    assert "\u2068אריה\u2069" in Client().get("/bots/ryh/").text


def test_existing_names_keep_working(ana: User, staff: User) -> None:
    old = User.objects.create_user(MIXED, password=PASSWORD)
    client = Client()
    client.post("/accounts/login/", {"login": MIXED, "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(old.pk)
    _token, text = issue_token(owner=old, name="CI")
    assert client.get("/api/v1/me/", headers={"Authorization": f"Bearer {text}"}).json()["username"] == MIXED
    bot = Bot.objects.create(owner=old, name=MIXED, slug="new-old", game="battleline")
    assert client.get(bot.get_absolute_url()).status_code == 200


def test_staff_meets_the_check_in_the_admin_and_may_use_reserved_names(admin_client: Client) -> None:
    page = "/admin/accounts/user/add/"
    form = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    refused = admin_client.post(page, form | {"username": MIXED})
    assert refused.status_code == 200 and b"U+0430" in refused.content
    assert admin_client.post(page, form | {"username": "support"}).status_code == 302
    assert User.objects.filter(username="support").exists()
