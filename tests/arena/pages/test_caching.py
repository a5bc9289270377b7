"""Pages for readers without a session are kept for some seconds; nobody else's are."""

import gzip
import re

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import caches
from django.test import Client

TIMES = re.compile(rb"<time[^>]*>.*?</time>|\d+ (?:s|min)\b")
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def pages(settings):
    settings.ANONYMOUS_PAGE_CACHE_S = 5
    settings.ALLOWED_HOSTS = ["*"]
    caches["pages"].clear()
    yield
    caches["pages"].clear()


def count_kept() -> int:
    return len(caches["pages"]._cache)


def test_a_page_is_drawn_once_for_all_readers_without_a_session(django_assert_num_queries):
    first = Client().get("/bots/")
    with django_assert_num_queries(0):
        second = Client().get("/bots/")
    assert second.status_code == 200 and second.content == first.content
    assert second["Content-Type"] == first["Content-Type"] and second["ETag"] == first["ETag"]
    assert {"Cookie", "Accept-Language"} <= {name.strip() for name in second["Vary"].split(",")}


def test_a_page_is_not_sent_again_to_who_has_it():
    tag = Client().get("/bots/")["ETag"]
    again = Client(headers={"If-None-Match": tag}).get("/bots/")
    assert again.status_code == 304 and not again.content


def test_host_language_theme_and_path_have_pages_of_their_own():
    Client().get("/bots/")
    Client().get("/bots/?page=1")
    Client(headers={"Host": "other.example.org"}).get("/bots/")
    hungarian = Client(headers={"Accept-Language": "hu"}).get("/bots/")
    dark = Client()
    dark.cookies["theme"] = "dark"
    assert 'data-theme="dark"' in dark.get("/bots/").text and 'lang="hu"' in hungarian.text
    assert count_kept() == 5


def test_a_compressed_page_is_kept_for_those_who_read_it(finished, django_assert_num_queries):
    page = f"/matches/{finished.pk}/"
    packed = Client(headers={"Accept-Encoding": "gzip"})
    first, plain = packed.get(page), Client().get(page)
    with django_assert_num_queries(0):
        again = packed.get(page)
    assert again.content == first.content and again["Content-Encoding"] == "gzip"
    assert gzip.decompress(again.content) == plain.content and not plain.has_header("Content-Encoding")


HEADERS = [
    {},
    {"HX-Request": "true"},
    {"HX-Request": "true", "HX-Boosted": "true"},
    {"HX-Boosted": "true"},
    {"HX-Request": "true", "HX-Boosted": "%74rue"},
    {"HX-Request": "true", "HX-Boosted": "%74rue", "HX-Boosted-URI-AutoEncoded": "true"},
    {"HX-Request": "true", "HX-History-Restore-Request": "true"},
    {"HX-Request": "true", "HX-Target": "play", "HX-Current-URL": "http://testserver/matches/"},
    {"Accept": "application/json"},
    {"Accept-Encoding": "gzip"},
    {"X-Requested-With": "XMLHttpRequest"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "null", "Referer": "http://elsewhere.example/"},
]


@pytest.mark.parametrize("path", ["/matches/%s/", "/matches/%s/?leg=2&turn=3", "/matches/", "/queue/", "/bots/"])
def test_no_header_gets_one_reader_the_page_of_another(finished, path):
    path = path % finished.pk if "%s" in path else path
    asked = [*HEADERS, *reversed(HEADERS)]

    def ask(headers: dict[str, str], *, is_first: bool) -> tuple[int, bytes, str | None]:
        if is_first:
            caches["pages"].clear()
        answer = Client(headers=headers).get(path)
        content = gzip.decompress(answer.content) if answer.has_header("Content-Encoding") else answer.content
        return answer.status_code, TIMES.sub(b"", content), answer.get("HX-Redirect")

    alone = [ask(headers, is_first=True) for headers in asked]
    caches["pages"].clear()
    assert [ask(headers, is_first=False) for headers in asked] == alone
    assert {status for status, _, _ in alone} == {200}


def test_head_is_answered_from_what_is_kept_and_keeps_nothing():
    assert Client().head("/bots/").status_code == 200 and count_kept() == 0
    Client().get("/bots/")
    assert not Client().head("/bots/").content


@pytest.mark.parametrize("path", ["/accounts/login/", "/api/v1/bots/", "/health/", "/bots/new/", "/bots/nobody/"])
def test_forms_the_api_redirects_and_errors_are_not_kept(path):
    Client().get(path)
    assert count_kept() == 0


def test_a_reader_with_a_session_neither_fills_nor_reads_the_cache():
    reader = Client()
    reader.force_login(get_user_model().objects.create(username="ana"))
    Client().get("/bots/")
    assert "ana" in reader.get("/bots/").text and count_kept() == 1


def test_nothing_is_kept_where_the_setting_says_so(settings):
    settings.ANONYMOUS_PAGE_CACHE_S = 0
    Client().get("/bots/")
    assert count_kept() == 0


@pytest.mark.parametrize("path, field", [("/theme/", {"theme": "dark"}), ("/language/", {"language": "hu"})])
def test_a_form_of_the_frame_works_without_a_token_from_this_site_only(path, field):
    def post(**headers: str) -> int:
        return Client(enforce_csrf_checks=True, headers=headers).post(path, field | {"next": "/bots/"}).status_code

    assert post(sec_fetch_site="same-origin") == post(origin="http://testserver") == post() == 302
    assert post(sec_fetch_site="cross-site") == post(sec_fetch_site="same-site") == post(origin="null") == 403
    assert post(origin="https://testserver") == 403
