"""The pages about rule options."""

import re

import pytest
from django.test import Client
from django.utils.translation import override

from arena.messages import render_message
from arena.pages.games import find_ruling_url
from engine.options import ChoiceOption
from engine.registry import GAMES

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("language", ["en", "hu"])
@pytest.mark.parametrize("key", GAMES)
def test_every_option_is_described_with_its_values_and_editions(key, language):
    page = Client(headers={"accept-language": language}).get(f"/rules/{key}/options/")
    assert [row.option for row in page.context["rows"]] == list(GAMES[key].rule_options)
    for row in page.context["rows"]:
        had = [edition for value in row.values for edition, _title in value.editions]
        assert sorted(had) == sorted(GAMES[key].editions), "each edition has exactly one of the values"
        with override(language):
            assert render_message(row.option.description) in page.text.replace("&#x27;", "'")
        if isinstance(row.option, ChoiceOption):
            assert len(row.values) == len(row.option.values)


def test_what_does_not_go_together_is_said():
    pairs = Client().get("/rules/battleline/options/").context["impossible"]
    values = [(pair.first[0].key, pair.first[1].value, pair.second[0].key, pair.second[1].value) for pair in pairs]
    assert values == [("flags", 5, "tiles", "shuffled"), ("flags", 5, "tiles", "drafted")]
    assert Client().get("/rules/battalion/options/").context["impossible"] == []


@pytest.mark.parametrize("key", GAMES)
def test_every_ruling_of_an_option_stands_where_its_link_leads(key):
    for number in {number for option in GAMES[key].rule_options for number in option.rulings}:
        address, anchor = find_ruling_url(key, number).split("#")
        assert f'id="{anchor}"' in Client().get(address).text


def test_the_page_is_linked_from_the_rules():
    for address in ("/rules/", "/rules/battleline/standard/"):
        assert re.search('href="/rules/battleline/options/"', Client().get(address).text)


def test_a_game_that_is_not_there_has_no_options():
    assert Client().get("/rules/chess/options/").status_code == 404


@pytest.mark.parametrize("key", GAMES)
def test_the_example_is_a_command_for_this_game(key):
    assert f"pennant play random random --game {key} --option " in Client().get(f"/rules/{key}/options/").text
