"""The formations of Battalion, for programs."""

import pytest

from arena.accounts.models import User
from arena.formations.models import Formation, make_formation
from arena.formations.services.counting import register_library
from arena.formations.services.naming import name_formation
from arena.matches.models import Match
from engine.games.battalion.formations import FORMATIONS
from tests.arena.api.played import Script
from tests.arena.api.played import queue_rated as queue_rated
from tests.arena.api.played import rated as rated
from tests.arena.api.played import versions as versions

pytestmark = pytest.mark.django_db
SHAPE = "0,2,4/0,2"


def add(**values: object) -> Formation:
    row = make_formation(SHAPE)
    for name, value in values.items():
        setattr(row, name, value)
    row.save()
    return row


def test_a_formation_tells_its_shape_its_name_and_its_figures(rated: Match, versions) -> None:
    add(deployed=4, deployed_points=3.0, first_version=versions[0], first_match=rated)
    (told,) = Script().read("/formations/")["results"]
    assert told.pop("html_url").endswith("/rules/battalion/formations/?shape=0%2C2%2C4%2F0%2C2")
    assert told == {
        "shape": SHAPE,
        "index": "3-2-0",
        "cells": 5,
        "hand": 7,
        "name": "",
        "name_hu": "",
        "is_library": False,
        "example": "deploy 0=10,2=A,4=8/0=Q,2=7 guard=9",
        "deployed_legs": 4,
        "deployed_points": 0.75,
        "reformed_legs": 0,
        "reformed_points": None,
        "first_version": {"bot": "kingfisher", "name": "Kingfisher", "authors": ["ana"], "version": 1},
        "first_match": rated.pk,
    }


def test_the_list_is_paged_from_the_most_deployed_and_can_be_narrowed(ana: User) -> None:
    register_library()
    ana.is_staff = True
    add(deployed=1)
    script, lines, path = Script(), [], "/api/v1/formations/?limit=4"
    while path:
        page = script.client.get(path).json()
        lines += page["results"]
        path = page["next"]
    assert [line["name"] for line in lines] == ["", *(formation.name for formation in FORMATIONS)]
    assert {line["name"]: line["name_hu"] for line in lines}["Funnel"] == "Tölcsér"
    assert [line["shape"] for line in script.read("/formations/", named="false")["results"]] == [SHAPE]
    assert len(script.read("/formations/", named="true")["results"]) == len(FORMATIONS)
    assert [line["shape"] for line in script.read("/formations/", cells=5)["results"]] == [SHAPE, "2/0,2,4/2"]
    assert script.read("/formations/", shape="chess")["results"] == []
    name_formation(formation=Formation.objects.get(shape=SHAPE), by=ana, name="Anvil", name_hu="Üllő")
    (told,) = script.read("/formations/", shape=SHAPE)["results"]
    assert (told["name"], told["name_hu"], told["is_library"]) == ("Anvil", "Üllő", False)
