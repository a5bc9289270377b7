"""What every resource does alike: how it refuses, pages, says that nothing has changed, and counts who asks."""

import json
import re
from urllib.parse import urlsplit

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.test import Client, override_settings
from django.urls import resolve

from arena.api.frame import list_parameters
from arena.api.requests import MAX_JSON_BYTES
from arena.api.schema import build_api_schema
from arena.bots.models import Bot, BotVersion, Token
from arena.bots.services import create_bot
from arena.bots.teams import issue_token, revoke_token
from arena.people.accounts.models import User
from tests.arena.api.played import Script

BOTS = "/api/v1/bots/"
JSON = "application/json"


def error(response) -> dict:
    """What it was refused for, which has always the same shape."""
    assert response["Content-Type"] == JSON
    (told,) = response.json().values()
    assert set(told) <= {"code", "message", "fields"} and told["code"] and told["message"].endswith(".")
    return told


@pytest.fixture
def client(ana: User) -> Client:
    """Ana's browser, which the site knows, with the check of CSRF tokens that browsers meet."""
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ana)
    return browser


@pytest.fixture
def script(ana: User) -> Script:
    return Script(ana)


def test_what_is_not_there_is_refused_in_the_one_shape(db):
    for address in ("/api/v1/nowhere/", "/api/v1/", "/api/v1/bots", "/api/v1/matches/a/"):
        response = Client().get(address)
        assert (response.status_code, error(response)["code"]) == (404, "not_found"), address
    response = Client().get("/api/v1/bots/heron/")
    assert error(response) == {"code": "not_found", "message": "There's no bot with the address heron."}


def test_what_can_not_be_done_there_is_refused_before_anybody_is_asked_who_they_are(db):
    for method in ("post", "put", "patch", "delete", "options"):
        response = getattr(Client(), method)("/api/v1/languages/")
        assert (response.status_code, error(response)["code"]) == (405, "method_not_allowed")
        assert response["Allow"] == "GET, HEAD"
    assert Client().head("/api/v1/tokens/1/").status_code == 405


def test_who_writes_must_be_known(db):
    response = Client().post(BOTS, {"name": "Heron", "game": "battleline"}, JSON)
    assert (response.status_code, error(response)["code"]) == (401, "not_authenticated")
    assert response["WWW-Authenticate"] == 'Bearer realm="api"'


@pytest.mark.parametrize("header", ["Bearer", "Bearer pnt_", "Bearer pnt_nonsense", "bearer pnt_é", "Bearer a b"])
def test_a_wrong_token_is_refused_even_where_none_is_needed(db, header):
    response = Client().get(BOTS, headers={"Authorization": header})
    assert (response.status_code, error(response)["code"]) == (401, "authentication_failed")


def test_a_revoked_token_and_one_of_somebody_shut_out_say_nothing(ana: User, ben: User):
    kept, revoked = Script(ana), Script(ben)
    revoke_token(token=Token.objects.get(owner=ben), owner=ben)
    assert kept.get("/me/").status_code == 200 and revoked.get("/me/").status_code == 401
    User.objects.filter(pk=ana.pk).update(is_active=False)
    assert kept.get("/me/").status_code == 401


def test_a_session_writes_with_its_csrf_token_only(client: Client):
    draft = {"name": "Heron", "game": "battleline"}
    response = client.post(BOTS, draft, JSON)
    assert (response.status_code, error(response)["code"]) == (403, "csrf_failed")
    client.get("/tokens/")
    csrf = client.cookies["csrftoken"].value
    assert client.post(BOTS, draft, JSON, headers={"X-CSRFToken": csrf}).status_code == 201


def test_fields_are_named_where_they_are_to_blame(script: Script):
    told = error(script.post("/bots/", {"game": "chess"}))
    assert told["code"] == "invalid" and told["message"] == "Invalid: name, game."
    assert told["fields"] == {
        "name": ["This field is required."],
        "game": ["“chess” isn't one of: battleline, battalion."],
    }


@pytest.mark.parametrize(
    ("content", "content_type", "status", "code"),
    [
        ("{", JSON, 400, "malformed"),
        ("[" * 5000, JSON, 400, "malformed"),
        ("\xff", JSON, 400, "malformed"),
        ("[]", JSON, 400, "invalid"),
        ('{"name": "\\ud800", "game": "battleline"}', JSON, 400, "invalid"),
        ('{"name": "a\\u0000", "game": "battleline"}', JSON, 400, "invalid"),
        (json.dumps({"name": "x" * MAX_JSON_BYTES}), JSON, 413, "too_large"),
        ("name=Heron", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        ("name: Heron", "text/yaml", 415, "unsupported_media_type"),
    ],
)
def test_what_can_not_be_read_is_refused(script: Script, content: str, content_type: str, status: int, code: str):
    response = script.client.post(BOTS, content.encode("latin-1"), content_type, headers=script.headers)
    assert (response.status_code, error(response)["code"]) == (status, code)


def test_a_failure_of_ours_is_told_in_the_same_shape(script: Script, ana: User, settings):
    settings.API_PER_MINUTE = {}
    script.client.raise_request_exception = False
    response = script.get("/bots/")
    assert (response.status_code, error(response)["code"]) == (500, "server_error")


def test_while_the_database_is_away_a_request_may_be_sent_again(script: Script):
    def refuse(*_: object) -> None:
        raise OperationalError("the connection was closed")

    with connection.execute_wrapper(refuse):
        response = script.get("/bots/")
    assert (response.status_code, error(response)["code"], response["Retry-After"]) == (503, "database_failed", "5")


def make_bots(owner: User, count: int) -> None:
    Bot.objects.bulk_create(
        Bot(owner=owner, name=f"Bot {number}", slug=f"bot-{number:02}", game="battleline") for number in range(count)
    )


def slugs(page: dict) -> list[str]:
    return [bot["slug"] for bot in page["results"]]


def follow(page: dict, link: str) -> dict:
    address = urlsplit(page[link])
    response = Client().get(f"{address.path}?{address.query}")
    assert response.status_code == 200
    return response.json()


def test_a_list_is_read_page_by_page_there_and_back(ana: User):
    make_bots(ana, 7)
    first = Client().get(f"{BOTS}?limit=3&author=ana").json()
    assert slugs(first) == ["bot-00", "bot-01", "bot-02"] and first["previous"] is None
    second = follow(first, "next")
    third = follow(second, "next")
    assert slugs(second) == ["bot-03", "bot-04", "bot-05"] and slugs(third) == ["bot-06"] and third["next"] is None
    assert "limit=3" in third["previous"] and "author=ana" in third["previous"]
    assert follow(third, "previous") == second | {"next": follow(third, "previous")["next"]}
    back = follow(follow(third, "previous"), "previous")
    assert slugs(back) == slugs(first) and back["previous"] is None and slugs(follow(back, "next")) == slugs(second)


def test_a_page_does_not_shift_while_rows_are_added(ana: User):
    make_bots(ana, 4)
    first = Client().get(f"{BOTS}?limit=2").json()
    create_bot(owner=ana, name="Aardvark", game="battleline")
    assert slugs(follow(first, "next")) == ["bot-02", "bot-03"]


def test_a_page_may_begin_at_a_row_that_is_gone(ana: User):
    make_bots(ana, 3)
    first = Client().get(f"{BOTS}?limit=2").json()
    Bot.objects.filter(slug="bot-01").delete()
    assert slugs(follow(first, "next")) == ["bot-02"]


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=-1", "limit=²", "limit=", "cursor=", "cursor=x:y"])
def test_only_pages_that_there_are_can_be_asked_for(db, query: str):
    response = Client().get(f"{BOTS}?{query}")
    assert response.status_code == 400 and list(error(response)["fields"]) == [query.partition("=")[0]]


def test_a_cursor_belongs_to_its_list(ana: User, make_version):
    make_bots(ana, 2)
    for _ in range(2):
        make_version(ana, "Heron")
    cursor = urlsplit(Client().get(f"{BOTS}heron/versions/?limit=1").json()["next"]).query
    assert Client().get(f"{BOTS}?{cursor}").status_code == 400


def test_what_one_has_is_not_sent_again(ana: User, make_version):
    make_version(ana, "Heron")
    first = Client().get(BOTS)
    assert first["Cache-Control"] == "private, no-cache" and "Authorization" in first["Vary"]
    again = Client().get(BOTS, headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304 and not again.content and again["ETag"] == first["ETag"]
    make_version(ana, "Heron")
    assert Client().get(BOTS, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_what_a_refusal_says_is_never_kept_back(db):
    first = Client().get("/api/v1/nowhere/")
    assert Client().get("/api/v1/nowhere/", headers={"If-None-Match": first["ETag"]}).status_code == 404


@pytest.fixture
def rates(settings):
    settings.API_PER_MINUTE = {"read": 3, "write": 1, "nobody": 2}
    cache.clear()
    yield
    cache.clear()


def statuses(script: Script, count: int) -> list[int]:
    return [script.get("/bots/").status_code for _ in range(count)]


def test_who_asks_too_often_is_told_when_to_come_back(ana: User, rates):
    script = Script()
    assert statuses(script, 3) == [200, 200, 429]
    response = script.get("/bots/")
    wait = int(response["Retry-After"])
    assert 1 <= wait <= 60
    assert error(response) == {"code": "throttled", "message": f"Too many requests; try again in {wait} s."}


def test_each_token_each_person_and_each_address_is_counted_apart(ana: User, rates):
    one, other = Script(ana), Script(ana)
    browser = Script()
    browser.client.force_login(ana)
    for script in (one, other, browser):
        assert statuses(script, 4) == [200, 200, 200, 429]
    assert statuses(Script(), 3) == [200, 200, 429]
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert elsewhere.get(BOTS).status_code == 200
    assert Client().get(BOTS, headers={"X-Forwarded-For": "192.0.2.8"}).status_code == 429


def test_who_has_an_ipv6_network_has_no_more_requests_than_others(db, rates):
    answers = [Client(REMOTE_ADDR=f"2001:db8:0:1::{number}").get(BOTS).status_code for number in range(1, 4)]
    assert answers == [200, 200, 429]
    assert Client(REMOTE_ADDR="2001:db8:0:2::1").get(BOTS).status_code == 200


def test_writing_is_counted_apart_from_reading(ana: User, rates):
    script = Script(ana)
    assert statuses(script, 4) == [200, 200, 200, 429]
    assert [script.post("/bots/", {"name": name, "game": "battleline"}).status_code for name in ("a", "b")] == [
        201,
        429,
    ]


def test_without_redis_requests_are_counted_in_memory(db, rates):
    lost = {"BACKEND": "arena.core.brokers.RedisOrMemoryCache", "LOCATION": "redis://127.0.0.1:1"}
    with override_settings(CACHES={"default": lost | {"KEY_PREFIX": "counted-without-redis"}}):
        assert statuses(Script(), 3) == [200, 200, 429]


def test_a_spent_quota_says_when_it_goes_on(ana: User, make_version, settings):
    settings.MAX_VERSIONS_PER_DAY = 1
    make_version(ana, "Heron", state=BotVersion.State.ON_TRIAL)
    files = {"program": SimpleUploadedFile("bot.py", b"pass")}
    script = Script(ana)
    response = script.client.post(f"{BOTS}heron/versions/", files, headers=script.headers)
    assert (response.status_code, error(response)["code"]) == (429, "quota_spent")
    assert 86_000 < int(response["Retry-After"]) <= 86_400


def test_a_token_is_found_by_what_it_says_alone(ana: User):
    token, text = issue_token(owner=ana, name="CI")
    assert text.startswith("pnt_") and text not in str(Token.objects.values())
    assert token.prefix == text[:8]


def test_an_unknown_parameter_is_named_with_those_there_are(db):
    refused = error(Client().get("/api/v1/bots/", {"gmae": "battleline", "limit": "3"}))
    assert refused["code"] == "invalid" and list(refused["fields"]) == ["gmae"]
    assert "game" in refused["fields"]["gmae"][0] and "cursor" in refused["fields"]["gmae"][0]
    assert error(Client().get("/api/v1/languages/", {"limit": "3"}))["fields"]["limit"] == [
        "This address has no parameters."
    ]


def test_a_request_that_writes_has_no_parameters(script):
    response = script.post("/bots/?name=Heron", {"name": "Heron", "game": "battleline"})
    assert response.status_code == 400 and not Bot.objects.filter(name="Heron").exists()


def test_the_parameters_of_every_address_are_those_of_the_schema():
    described = 0
    for path, operations in build_api_schema()["paths"].items():
        address = re.sub(r"{(number|board|id)}", "1", path)
        view = resolve(re.sub(r"{\w+}", "a", address)).func
        for method, operation in operations.items():
            named = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
            known = list_parameters(getattr(view.cls, view.actions[method]).operation)
            assert sorted(named) == sorted(known), (method, path)
            described += bool(named)
    assert described > 10


HERE, ELSEWHERE = "http://testserver", "https://elsewhere.example"


def test_pages_of_other_sites_read_what_is_public_as_nobody(client: Client):
    answer = client.get("/api/v1/arena/", headers={"Origin": ELSEWHERE})
    assert answer["Access-Control-Allow-Origin"] == "*" and "Retry-After" in answer["Access-Control-Expose-Headers"]
    assert not answer.has_header("Access-Control-Allow-Credentials") and "Origin" in answer["Vary"]
    assert client.head(BOTS)["Access-Control-Allow-Origin"] == "*"
    assert client.get("/api/v1/nowhere/")["Access-Control-Allow-Origin"] == "*"
    known = client.get(BOTS, headers={"Origin": ELSEWHERE, "If-None-Match": client.get(BOTS)["ETag"]})
    assert known.status_code == 304 and known["Access-Control-Allow-Origin"] == "*"


def test_a_cookie_from_elsewhere_is_nobodys(client: Client):
    for origin, status in ((ELSEWHERE, 401), ("null", 401), ("http://testserver.example", 401), (HERE, 200)):
        assert client.get("/api/v1/me/", headers={"Origin": origin}).status_code == status, origin
    assert client.get("/api/v1/me/").status_code == 200
    client.cookies["django_language"] = "hu"
    sentence = client.get("/api/v1/nowhere/", headers={"Origin": ELSEWHERE}).json()["error"]["message"]
    assert sentence.startswith("There's nothing at this address"), "the language of the cookie is forgotten, too"
    headers = {"Origin": ELSEWHERE}
    assert client.get("/", headers=headers).wsgi_request.user.is_authenticated, "pages are not shared"


def test_a_browser_asks_first_and_may_only_read(client: Client):
    asked = {"Origin": ELSEWHERE, "Access-Control-Request-Method": "GET"}
    answer = client.options(BOTS, headers=asked | {"Access-Control-Request-Headers": "if-none-match"})
    assert answer.status_code == 204 and answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert "If-None-Match" in answer["Access-Control-Allow-Headers"]
    assert "Authorization" not in answer["Access-Control-Allow-Headers"]
    assert not answer.has_header("Access-Control-Allow-Credentials")
    written = client.post(BOTS, {"name": "Heron", "game": "battleline"}, JSON, headers={"Origin": ELSEWHERE})
    assert written.status_code == 403 and not written.has_header("Access-Control-Allow-Origin")


def test_what_a_token_reads_is_for_no_page_of_another_site(script: Script):
    script.headers["Origin"] = ELSEWHERE
    answer = script.get("/me/")
    assert answer.status_code == 200 and not answer.has_header("Access-Control-Allow-Origin")


def test_the_schema_is_sent_as_plain_json_where_that_is_asked_for(db):
    assert Client().get("/api/v1/schema/")["Content-Type"] == "application/vnd.oai.openapi+json"
    plain = Client().get("/api/v1/schema/?format=json")
    assert plain["Content-Type"] == JSON and plain.json()["openapi"]
    assert list(error(Client().get("/api/v1/schema/?format=yaml"))["fields"]) == ["format"]
