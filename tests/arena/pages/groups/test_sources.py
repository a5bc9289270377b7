"""Members accept that organisers read their bots, see who has; organisers read them, and nobody else does."""

import re
import zipfile
from io import BytesIO

import pytest

from arena.bots.models import BotVersion, SourceRead
from arena.bots.services import add_version, create_bot
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from arena.people.groups.services import ListedPerson, add_listed_people, edit_group, renew_join_code
from tests.arena.bots.test_similarity import WRITTEN, rename

PASSWORD = "four flags of nine"
ADDRESS = "/groups/class-10b/sources/"


@pytest.fixture
def group(group: Group, teacher: User) -> Group:
    """The class declares that organisers read bots, once Ben is in it."""
    return edit_group(group=group, by=teacher, name=group.name, description="", hides_names=False, reads_bots=True)


@pytest.fixture
def version(reader, group: Group, ben: User) -> BotVersion:
    """Of Ben, who has accepted it on the group's page."""
    assert reader(ben).post("/groups/class-10b/reading/accept/").status_code == 302
    return upload(ben, "Heron", group, WRITTEN)


def upload(owner: User, name: str, group: Group, text: str) -> BotVersion:
    bot = create_bot(owner=owner, name=name, game="battleline", group=group)
    return add_version(bot=bot, files={"bot.py": text.encode()}, state=BotVersion.State.ACCEPTED)


def test_a_member_is_asked_and_sees_which_bots_can_be_read_and_who_did(reader, group: Group, ben: User, teacher: User):
    client = reader(ben)
    early = upload(ben, "Early", group, "x = 1")
    asked = client.get("/groups/class-10b/").text
    assert "Let organisers read my bots" in asked and "stay private" in asked
    client.post("/groups/class-10b/reading/accept/")
    version = upload(ben, "Heron", group, WRITTEN)
    accepted = client.get("/groups/class-10b/")
    assert [str(one) for one in accepted.context["readable"]] == ["Heron v1"]
    assert "Let organisers read my bots" not in accepted.text and ADDRESS not in accepted.text
    assert "have read the files" not in client.get(version.get_absolute_url()).text
    organiser = reader(teacher)
    assert "Read bots" in organiser.get("/groups/class-10b/").text
    assert organiser.get(f"{ADDRESS}{early.pk}/").status_code == 404
    assert "def measure" in organiser.get(f"{ADDRESS}{version.pk}/").text
    page = reader(ben).get(version.get_absolute_url()).text
    assert "Organisers have read the files" in page and "on a page" in page
    assert "Organisers have read" not in organiser.get(version.get_absolute_url()).text


def test_who_joins_by_the_code_must_accept_it(reader, group: Group, teacher: User, eva: User):
    code = renew_join_code(group=group, by=teacher, hours=2).open_code
    client = reader(eva)
    assert "I accept that organisers can read my bots" in client.get(f"/groups/join/?code={code}").text
    refused = client.post("/groups/join/", {"code": code, "real_name": "Éva Kis"})
    assert refused.status_code == 400 and 'value="Éva Kis"' in refused.text and "accept that to join" in refused.text
    client.post("/groups/join/", {"code": code, "real_name": "Éva Kis", "accepts_reading": "on"})
    assert Membership.objects.get(user=eva).reading_accepted_at is not None


def test_an_invitation_is_accepted_with_it(reader, group: Group, teacher: User, eva: User):
    invitation = group.invitations.create(user=eva, email="")
    client = reader(eva)
    assert 'name="accepts_reading" required' in client.get("/groups/").text
    client.post(f"/groups/invitations/{invitation.pk}/accept/")
    assert not Membership.objects.filter(user=eva).exists()
    client.post(f"/groups/invitations/{invitation.pk}/accept/", {"accepts_reading": "on"})
    assert Membership.objects.get(user=eva).reading_accepted_at is not None


def test_the_page_of_a_slip_asks_for_it(client, group: Group, teacher: User):
    slip = add_listed_people(group=group, by=teacher, people=[ListedPerson("Anna", "")], days=7).slips[0]
    sent = {"username": "snow-goose", "password": PASSWORD, "password_again": PASSWORD}
    assert "I accept that organisers can read my bots" in client.get(slip.path).text
    refused = client.post(slip.path, sent)
    assert refused.status_code == 400 and 'value="snow-goose"' in refused.text
    assert client.post(slip.path, sent | {"accepts_reading": "on"}).status_code == 302
    assert Membership.objects.get(user__username="snow-goose").reading_accepted_at is not None


def test_organisers_see_similar_pairs_without_a_percentage_and_both_texts_with_their_parts(
    reader, group: Group, version: BotVersion, teacher: User
):
    copy = upload(teacher, "Owl", group, rename(WRITTEN))
    client = reader(teacher)
    page = client.get(ADDRESS)
    assert page["Cache-Control"] == "private, no-store"
    assert "Heron v1" in page.text and "Owl v1" in page.text and "Benedek Nagy" in page.text
    assert not re.search(r"\d\s*%", page.text) and "never a verdict" in page.text
    pair = client.get(f"{ADDRESS}{version.pk}/{copy.pk}/")
    assert pair["Cache-Control"] == "private, no-store"
    assert "def measure" in pair.text and pair.text.count('class="shared"') > 20
    assert 'id="left-1" href="#right-1"' in pair.text and 'id="right-1" href="#left-1"' in pair.text
    assert SourceRead.objects.get().way == SourceRead.Way.COMPARE


def test_a_page_that_is_not_complete_asks_again(reader, group: Group, version: BotVersion, teacher: User, monkeypatch):
    monkeypatch.setattr("arena.contests.reading.SOURCES_PER_STEP", 1)
    upload(teacher, "Owl", group, "x = 1")
    client = reader(teacher)
    first = client.get(ADDRESS)
    assert "1 of 2 compared" in first.text and "data-hx-get" in first.text
    last = client.get(ADDRESS, headers={"HX-Request": "true"})
    assert last.status_code == 286 and "compared</span>" not in last.text


def test_the_zip_is_for_organisers_and_noted(reader, group: Group, version: BotVersion, teacher: User):
    answer = reader(teacher).get("/groups/class-10b/sources.zip")
    zipped = zipfile.ZipFile(BytesIO(answer.getvalue()))
    assert zipped.read("submissions/benedek-nagy-heron-v1/bot.py").decode() == WRITTEN
    assert SourceRead.objects.get().way == SourceRead.Way.DOWNLOAD


def test_nobody_else_reads_anything(reader, client, group: Group, version: BotVersion, teacher: User, ben: User):
    addresses = [
        ADDRESS,
        "/groups/class-10b/sources.zip",
        *(f"{ADDRESS}{part}/" for part in (version.pk, f"{version.pk}/{version.pk}")),
    ]
    former = User.objects.create_user("former")
    Membership.objects.create(group=group, user=former, role="co_organiser")
    assert reader(former).get(ADDRESS).status_code == 200
    Membership.objects.filter(user=former).delete()
    other = User.objects.create_user("other")
    Membership.objects.create(group=Group.objects.create(name="x", slug="x"), user=other, role="owner")
    staff = User.objects.create_superuser("root")
    for address in addresses:
        assert reader(ben).get(address).status_code == 403
        for person in (former, other, staff):
            assert reader(person).get(address).status_code == 404
        assert client.get(address).status_code == 302
    assert reader(other).get(f"/groups/x/sources/{version.pk}/").status_code == 404
    assert not SourceRead.objects.exists()
