"""What search engines and those who look for a contact find."""

import re
from datetime import datetime, timedelta
from xml.etree import ElementTree

import pytest
from django.core.paginator import EmptyPage
from django.test import Client
from django.utils.timezone import now

from arena.matches.models import Match
from arena.pages import crawlers
from arena.people.groups.models import Group

pytestmark = pytest.mark.django_db
LOCATION = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


def read_locations(page: str) -> list[str]:
    response = Client().get(page)
    assert response.status_code == 200, page
    found = [element.text or "" for element in ElementTree.fromstring(response.content).iter(LOCATION)]
    return [text.removeprefix("http://testserver") for text in found]


def is_left_out(address: str, rules: str) -> bool:
    """As crawlers read it: the longest rule that fits wins, and `*` stands for anything."""
    fitting = [
        (len(path), verb == "Allow")
        for verb, path in re.findall(r"^(Allow|Disallow): (.+)$", rules, re.M)
        if re.match(re.escape(path).replace(r"\*", ".*"), address)
    ]
    return bool(fitting) and not max(fitting)[1]


def test_robots_leave_out_the_pages_of_turns_views_and_legs_and_no_other(finished):
    rules = Client().get("/robots.txt").text
    match = f"/matches/{finished.pk}/"
    for address in ("?turn=4", "?view=0&turn=4", "?leg=2", "legs/1/record.json", "sides/", "text/", "records.zip"):
        assert is_left_out(match + address, rules), address
    assert is_left_out("/matches/?bot=careful", rules) and is_left_out("/api/v1/matches/", rules)
    listed = [address for page in read_locations("/sitemap.xml") for address in read_locations(page)]
    assert match in listed and len(listed) > 20
    assert [address for address in listed if is_left_out(address, rules)] == []
    assert not is_left_out(f"{match}turn/4.png", rules)  # the preview that other sites show
    assert "Sitemap: http://testserver/sitemap.xml" in rules


def test_every_address_of_the_sitemap_opens_for_somebody_without_an_account(finished):
    listed = [address for page in read_locations("/sitemap.xml") for address in read_locations(page)]
    assert len(listed) == len(set(listed))
    assert {address: status for address in listed if (status := Client().get(address).status_code) != 200} == {}


def test_the_sitemap_costs_no_query_per_match(finished, django_assert_num_queries, monkeypatch):
    matches = [Match.objects.get(pk=finished.pk) for _ in range(7)]
    for match in matches:
        match.pk = None
    Match.objects.bulk_create(matches)
    monkeypatch.setattr(crawlers.MatchPages, "limit", 4)
    # Pages are ranges of keys, and the first key depends on the tests before: the index names those that exist.
    pages = [page for page in read_locations("/sitemap.xml") if "matches" in page]
    for page in pages[-2:]:
        with django_assert_num_queries(2):
            assert 0 < len(read_locations(page)) <= 4, page
    assert sorted(sum(map(read_locations, pages), [])) == sorted(
        f"/matches/{key}/" for key in Match.objects.filter(state="finished").values_list("pk", flat=True)
    )
    with pytest.raises(EmptyPage):
        crawlers.KeyRanges(4).page(99)


def test_what_belongs_to_a_group_is_in_no_sitemap_and_says_so(finished, ana):
    group = Group.objects.create(name="A class", slug="a-class")
    Match.objects.filter(pk=finished.pk).update(group=group)
    assert read_locations("/sitemap-matches.xml") == []
    reader = Client()
    reader.force_login(ana)
    assert reader.get("/groups/")["X-Robots-Tag"] == "noindex"
    assert "X-Robots-Tag" not in Client().get("/bots/")


def test_the_address_of_a_match_is_the_same_for_all_its_turns(finished):
    for query in ("", "?turn=3&view=0", "?leg=2"):
        page = Client().get(f"/matches/{finished.pk}/{query}").text
        assert f'<link rel="canonical" href="http://testserver/matches/{finished.pk}/">' in page


def test_security_txt_names_whom_the_operator_names(settings):
    assert Client().get("/.well-known/security.txt").status_code == 404
    settings.SECURITY_CONTACT = "security@example.org"
    text = Client().get("/.well-known/security.txt").text
    assert "Contact: mailto:security@example.org\n" in text
    expires = datetime.fromisoformat(re.findall(r"^Expires: (.+)$", text, re.M)[0])
    assert timedelta(days=30) < expires - now() < timedelta(days=365)
    settings.SECURITY_CONTACT = "https://example.org/security"
    assert "Contact: https://example.org/security\n" in Client().get("/.well-known/security.txt").text


def test_the_icon_has_its_old_address():
    response = Client().get("/favicon.ico")
    assert b"".join(response.streaming_content)[:4] == b"\0\0\1\0" and response["Content-Type"] == "image/x-icon"
