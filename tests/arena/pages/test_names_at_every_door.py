"""200 names from twenty scripts through every door: each is shown as it is written, and no two look alike."""

import csv
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from email.header import decode_header, make_header
from html.parser import HTMLParser
from itertools import combinations
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.test import Client
from pytest_django.fixtures import Settings

from arena.bots.models import Bot
from arena.bots.services import add_version
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.access import Access
from arena.contests.tournaments.settings import Settings as TournamentSettings
from arena.core.environment import read_mail_url
from arena.core.messages import RIGHT_TO_LEFT
from arena.operations.upkeep import mail_notices
from arena.pages.games import find_presentation
from arena.pages.matches.replay import play_back
from arena.pages.svg.card import draw_preview_image, spell_for_picture
from arena.people.accounts.models import LimitedAction, User
from arena.people.accounts.names import check_name, find_lookalikes, make_slug
from arena.people.groups.listing import read_name_list
from arena.people.groups.models import Group, Membership
from arena.people.groups.services import announce_to_group, create_group
from tests.arena.api.played import Script
from tests.arena.contests.tournaments.world import begin, make_organiser, play_out
from tests.arena.core.test_mail import mail_server
from tests.conftest import FIRST_LEGAL
from tests.full import default_and_full

PASSWORD = "four flags of nine"
BY_SCRIPT = {
    "Latin": "Ödön Nguyễn Şükrü Łucja Zoë Ñandú Þór Čáp Ģirts Ílkay",
    "Cyrillic": "сосна Щука Київ Жар-птица Ђорђе Гјорѓи Алия Вітер Ёлка Юрта",
    "Greek": "Ωμέγα Άλφα Ξένος Ψάρι Θύελλα Φάρος Λύκος Δράκος Ζέφυρος Πύργος",
    "Armenian": "Հայկ Արև Գայլ Ծիծեռնակ Շուն Լուսին Քամի Ձյուն Ժայռ Վագր",
    "Hebrew": "אריה נשר דב שועל תנין ברק סוסה צבי עורב גמל",
    "Arabic": "أسد صقر نمر قمر شمس فهد ذئب غزال حصان جمل",
    "Devanagari": "हिन्दी३ बाघ मोर चीता सूरज तारा नदी पर्वत शेर हाथी",
    "Bengali": "বাংলা বাঘ ঝর্ণা পাখি সূর্য আকাশ মেঘ বৃষ্টি ফুল হাতি",
    "Tamil": "தமிழ் புலி மயில் யானை சிங்கம் கடல் மலை காற்று நிலா சூரியன்",
    "Telugu": "తెలుగు పులి నెమలి ఏనుగు సింహం కొండ గాలి వాన చంద్రుడు నది",
    "Malayalam": "മലയാളം കടുവ മയിൽ ആന സിംഹം കുന്ന് കാറ്റ് മഴ ചന്ദ്രൻ പുഴ",
    "Gujarati": "ગુજરાતી વાઘ ઢેલ હાથી સિંહ ડુંગર પવન વરસાદ ચંદ્ર ઝરણું",
    "Gurmukhi": "ਪੰਜਾਬੀ ਬਾਘ ਘੁੱਗੀ ਹਾਥੀ ਸ਼ੇਰ ਪਹਾੜ ਹਵਾ ਮੀਂਹ ਚੰਨ ਦਰਿਆ",
    "Thai": "ไทยที่ เสือ นกยูง ช้าง สิงโต ภูเขา ลม ฝน พระจันทร์ แม่น้ำ",
    "Khmer": "ខ្មែរ ខ្លា ក្ងោក ដំរី តោ ភ្នំ ខ្យល់ ភ្លៀង ព្រះចន្ទ ទន្លេ",
    "Georgian": "ქართული ვეფხვი მგელი დათვი არწივი მთა ქარი წვიმა მთვარე მდინარე",
    "Ethiopic": "አማርኛ ነብር አንበሳ ዝሆን ንስር ተራራ ነፋስ ዝናብ ጨረቃ ወንዝ",
    "Chinese": "北京队 老虎 孔雀 大象 狮子 高山 春风 细雨 月亮 长江",
    "Japanese": "東京タワー とらのすけ くじゃく ぞう ライオン 富士山 かぜ 雨の日 三日月 佐々木Bot",
    "Korean": "한국봇AI 호랑이 공작새 코끼리 사자왕 산신령 바람 소나기 달빛 강물",
}
NAMES = {script: names.split() for script, names in BY_SCRIPT.items()}
ROUNDS = default_and_full([0], range(1, 10))
"""By default the first name of each script, with `--full` all ten."""
DRAWN_IN_PICTURES = {"Latin", "Cyrillic", "Greek"}
ISOLATED = "a b em small span strong"
BLOCKS = frozenset(f"{ISOLATED} h1 h2 h3 li td th p dt dd div text title option button label summary".split())
"""Elements that other text can't be turned by: blocks, and those that the style isolates."""


TURNS_WHAT_FOLLOWS = re.compile(f"{RIGHT_TO_LEFT.pattern}[^A-Za-z]*[0-9]")
"""A number after such a name stands before it, unless Latin letters are between them."""


class TextParts(HTMLParser):
    """Collects the texts of a page and of attributes that are read out, each with the element round it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.found += [("text", value) for name, value in attrs if value and name in ("title", "aria-label", "alt")]
        if tag not in ("br", "img", "input", "link", "meta", "path", "rect", "use", "hr", "line", "circle", "col"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.found.append((self.open[-1], data.strip()))


def list_turned(html: str) -> Iterator[str]:
    """List the texts that a name from right to left stands in with others, and isn't isolated from them."""
    for element, text in TextParts(html).found:
        rest = re.sub("\u2068[^\u2069]*\u2069", "", text)
        if RIGHT_TO_LEFT.search(rest) and (element not in BLOCKS or TURNS_WHAT_FOLLOWS.search(rest)):
            yield f"<{element}> {text}"


def test_no_two_of_them_look_alike() -> None:
    names = [name for several in NAMES.values() for name in several]
    assert (len(NAMES), len(names), len(set(names))) == (20, 200, 200)
    assert [check_name(name) for name in names] == names
    assert [(one, other) for one, other in combinations(names, 2) if find_lookalikes(one, [other])] == []
    assert all(re.fullmatch("[a-z0-9-]+", make_slug(name)) for name in names)


@pytest.mark.parametrize("place", ROUNDS)
def test_every_door_shows_the_name_as_it_is_written(
    db: None, settings: Settings, record_of: Callable[..., Any], place: int
) -> None:
    settings.MAX_SIGN_UPS_PER_HOUR = 100
    names = {script: several[place] for script, several in NAMES.items()}
    for name in names.values():
        cache.clear()  # which counts sign-ups
        form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
        assert Client().post("/accounts/signup/", form).status_code == 302, name
        typed = {"login": unicodedata.normalize("NFD", name), "password": PASSWORD}
        assert Client().post("/accounts/login/", typed).status_code == 302, name
    users = {name: User.objects.get(username=name) for name in names.values()}
    bots = [make_bot(users[name], name) for name in names.values()]
    cache.clear()
    olga = make_organiser()
    group = create_group(owner=olga, name="Class 10.b", real_name="Olga")
    for name, user in users.items():
        Membership.objects.create(group=group, user=user, real_name=f"{name} {name}")
    cup = play_out(begin(bots, TournamentSettings(format="single-elimination"), access=Access(group=group)))
    desk = Client()
    desk.force_login(olga)
    check_pages(desk, cup, group, list(names.values()))
    check_lists(desk, cup, group, list(names.values()))
    check_pictures(names, record_of(1))
    check_mail(olga, list(names.values()), settings)


def make_bot(owner: User, name: str) -> Bot:
    """By the API, with an accepted version."""
    made = Script(owner).post("/bots/", {"name": name, "game": "battleline"}).json()
    assert made["name"] == name and re.fullmatch(r"[a-z0-9-]+", made["slug"])
    bot = Bot.objects.get(slug=made["slug"])
    add_version(bot=bot, files={"bot.py": FIRST_LEGAL + f"\n# {bot.slug}\n".encode()}, state="accepted")
    return bot


def check_pages(desk: Client, cup: Tournament, group: Group, names: Sequence[str]) -> None:
    """Bots, authors, the group, the tournament, its projector and its certificates."""
    turned, here = [], cup.get_absolute_url()
    shown = {here: names, f"{here}print/": names, f"/groups/{group.slug}/members/": names, "/bots/": []}
    shown |= {f"{here}projector/": [], f"{here}organise/": names, f"/groups/{group.slug}/marks/": names}
    for entrant in cup.entrants.select_related("bot__owner"):
        name = entrant.bot.name
        shown |= {entrant.bot.get_absolute_url(): [name], entrant.bot.owner.get_absolute_url(): [name]}
        shown[f"{here}certificates/{entrant.bot.slug}/"] = [name]
    for address, expected in shown.items():
        answer = desk.get(address)
        assert answer.status_code == 200, address
        assert [name for name in expected if name not in answer.text] == [], address
        turned += [f"{address}: {text}" for text in list_turned(answer.text)]
    projector = desk.get(f"{here}projector/").text
    assert sum(name in projector for name in names) >= 3
    assert not turned, "\n".join(turned)


def check_lists(desk: Client, cup: Tournament, group: Group, names: Sequence[str]) -> None:
    """A list of names that comes in, and tables that go out."""
    pasted = "\n".join(f"{name} {number}" for number, name in enumerate(names))
    assert [person.real_name for person in read_name_list(pasted)] == pasted.splitlines()
    preview = desk.post(f"/groups/{group.slug}/list/", {"names": pasted, "days": "7"})
    assert preview.status_code == 200 and all(name in preview.text for name in names)
    for address in (f"{cup.get_absolute_url()}standings.csv", f"/groups/{group.slug}/marks/?format=csv"):
        cells = {cell for row in csv.reader(desk.get(address).content.decode("utf-8-sig").splitlines()) for cell in row}
        assert [name for name in names if name not in cells] == [] and not any("\u2068" in cell for cell in cells)


def check_pictures(names: dict[str, str], record: Any) -> None:
    """Names whose letters the font has are drawn, and others are spelt as in the address."""
    scene, presentation = play_back(record, None).scene(3), find_presentation("battleline", "standard")
    for script, name in names.items():
        written = name if script in DRAWN_IN_PICTURES else make_slug(name)
        assert spell_for_picture(name) == written, name
        assert f"{written}<" in draw_preview_image(scene, presentation, [name, "Heron"])


def check_mail(olga: User, names: Sequence[str], settings: Settings) -> None:
    """An announcement in a group of each name, in subject and text."""
    ben = User.objects.create_user("ben", email="ben@example.org")
    EmailAddress.objects.create(user=ben, email="ben@example.org", verified=True, primary=True)
    for name in names:
        LimitedAction.objects.all().delete()  # which counts announcements
        group = create_group(owner=olga, name=name)
        Membership.objects.create(group=group, user=ben)
        announce_to_group(group=group, by=olga, text="Hello")
        with mail_server(None) as (inbox, port):
            for setting, value in read_mail_url(f"smtp://localhost:{port}").items():
                setattr(settings, setting, value)
            assert mail_notices() == 1
            subject = str(make_header(decode_header(inbox.letters["ben@example.org"]["Subject"])))
            assert name in subject and name in inbox.read("ben@example.org"), name
