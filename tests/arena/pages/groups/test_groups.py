"""The pages of groups: for members alone, and never cached."""

from html import unescape

from django.test import Client

from arena.people.accounts.models import User
from arena.people.groups.models import Group, Invitation, Membership
from arena.people.groups.services import fetch_real_names, renew_join_code

NO_STORE = "private, no-store"


def test_members_see_real_names_and_nothing_is_stored_in_caches(reader, group: Group, ben: User):
    for address in ("/groups/", "/groups/class-10b/", "/groups/class-10b/members/"):
        page = reader(ben).get(address)
        assert page.status_code == 200 and page["Cache-Control"] == NO_STORE
        assert "Anna Kovács" in page.text or address == "/groups/"
    assert reader(ben).get("/groups/class-10b/edit/").status_code == 403


def test_real_names_can_be_for_organisers_only(reader, group: Group, teacher: User, ben: User):
    client = reader(teacher)
    form = {"name": group.name, "description": "On Mondays", "hides_names": "on"}
    assert client.post("/groups/class-10b/edit/", form).status_code == 302
    for address in ("/groups/class-10b/", "/groups/class-10b/members/"):
        assert "Benedek Nagy" in client.get(address).text
        page = reader(ben).get(address).text
        assert "Anna Kovács" not in page and "Benedek Nagy" in page and ">ana<" in page
    assert fetch_real_names(ben, group.pk) == {} and len(fetch_real_names(teacher, group.pk)) == 2


def test_real_names_are_on_no_public_page(reader, group: Group, ben: User, eva: User):
    for who in (None, eva, ben):
        for address in ("/authors/ana/", "/authors/ben/", "/bots/", "/tournaments/", "/"):
            page = reader(who).get(address).text
            assert "Kovács" not in page and "Benedek" not in page and "10.b" not in page


def test_a_teacher_makes_a_group(reader, teacher: User, eva: User):
    assert reader(eva).get("/groups/new/").status_code == 403
    assert 'href="/groups/new/"' not in reader(eva).get("/groups/").text
    client = reader(teacher)
    assert 'href="/groups/new/"' in client.get("/groups/").text
    assert client.post("/groups/new/", {"name": " "}).status_code == 400
    made = client.post("/groups/new/", {"name": "Robotics", "description": "", "real_name": "Anna"})
    assert made["Location"] == "/groups/robotics/"
    assert Membership.objects.get().shown_name == "Anna"
    assert client.post("/groups/robotics/edit/", {"name": "Robots", "description": "x"}).status_code == 302
    assert Group.objects.get().name == "Robots"


def test_the_code_is_for_organisers_and_lets_people_in(reader, group: Group, teacher: User, ben: User, eva: User):
    client = reader(teacher)
    client.post("/groups/class-10b/code/", {"hours": "24"})
    code = Group.objects.get().open_code
    assert code in client.get("/groups/class-10b/").text
    assert code not in reader(ben).get("/groups/class-10b/").text
    stranger = reader(eva)
    asked = stranger.get("/groups/join/", {"code": code.lower()})
    assert asked.status_code == 200 and "Class 10.b" in asked.text and "On Mondays" not in asked.text
    assert asked["Cache-Control"] == NO_STORE
    assert not Membership.objects.filter(user=eva).exists()
    joined = stranger.post("/groups/join/", {"code": code, "real_name": "Éva"}, follow=True)
    assert joined.redirect_chain == [("/groups/class-10b/", 302)]
    assert "You're now in Class 10.b." in unescape(joined.text)
    assert Membership.objects.get(user=eva).real_name == "Éva"
    client.post("/groups/class-10b/code/end/")
    assert code not in client.get("/groups/class-10b/").text


def test_who_is_not_signed_in_comes_back_to_the_link(group: Group, teacher: User):
    code = renew_join_code(group=group, by=teacher, hours=2).open_code
    answer = Client().get(f"/groups/join/?code={code}")
    assert answer["Location"] == f"/accounts/login/?next=/groups/join/%3Fcode%3D{code}"


def test_wrong_codes_say_so_and_too_many_are_refused(reader, group: Group, eva: User):
    client = reader(eva)
    pages = [client.get("/groups/join/", {"code": "0000-0000-0000"}) for _ in range(11)]
    assert [page.status_code for page in pages] == [400] * 10 + [429]
    assert (
        "This code isn't valid for any group." in unescape(pages[0].text) and "Too many wrong codes" in pages[-1].text
    )


def test_organisers_manage_members(reader, group: Group, teacher: User, ben: User):
    own, other = Membership.objects.get(user=teacher), Membership.objects.get(user=ben)
    client, place = reader(teacher), f"/groups/class-10b/members/{other.pk}"
    assert client.post(f"{place}/name/", {"real_name": "Bendegúz"}).status_code == 302
    assert "Bendegúz is now: co-organiser." in client.post(f"{place}/role/", {"role": "co_organiser"}, follow=True).text
    assert "No such role." in client.post(f"{place}/role/", {"role": "king"}, follow=True).text
    assert client.post("/groups/class-10b/members/0/remove/").status_code == 404
    client.post(f"{place}/role/", {"role": "member"})
    member = reader(ben)
    assert member.post(f"/groups/class-10b/members/{own.pk}/name/", {"real_name": "x"}).status_code == 403
    assert member.post(f"{place}/name/", {"real_name": "Ben"}).status_code == 302
    for act in ("role", "remove"):
        assert member.post(f"/groups/class-10b/members/{own.pk}/{act}/", {"role": "member"}).status_code == 403
    assert "Ben is no longer in the group." in client.post(f"{place}/remove/", follow=True).text
    assert member.get("/groups/class-10b/").status_code == 404


def test_one_leaves_by_a_button_but_the_last_owner_stays(reader, group: Group, teacher: User, ben: User):
    assert "You left Class 10.b." in reader(ben).post("/groups/class-10b/leave/", follow=True).text
    assert "A group needs an owner" in reader(teacher).post("/groups/class-10b/leave/", follow=True).text
    assert Membership.objects.get().user == teacher


def test_invitations_are_answered_by_whom_they_are_for(reader, group: Group, ben: User, eva: User):
    invitation = Invitation.objects.create(group=group, user=eva, real_name="Éva", email="eva@example.org")
    assert "Class 10.b" in reader(eva).get("/groups/").text
    assert reader(ben).post(f"/groups/invitations/{invitation.pk}/accept/").status_code == 404
    reader(eva).post(f"/groups/invitations/{invitation.pk}/accept/")
    assert Membership.objects.get(user=eva).real_name == "Éva" and not Invitation.objects.exists()
    again = Invitation.objects.create(group=group, user=ben, email="")
    reader(ben).post(f"/groups/invitations/{again.pk}/refuse/")
    assert not Invitation.objects.exists()


def test_each_empty_part_of_a_group_offers_organisers_the_next_step(reader, group: Group, teacher: User, ben: User):
    doors = {
        "/tournaments/new/?group=class-10b": "New tournament",
        "/groups/class-10b/ladders/new/": "Open a ladder",
        "/bots/new/?group=class-10b": "Upload a bot",
    }
    page = reader(teacher).get("/groups/class-10b/").text
    for address, words in doors.items():
        assert page.count(f'<a class="button" href="{address}">{words}</a></div>') == 1, words
    of_member = reader(ben).get("/groups/class-10b/").text
    assert [address for address in doors if f'href="{address}"' in of_member] == ["/bots/new/?group=class-10b"]
