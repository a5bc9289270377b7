"""The page on which an author puts a crest together."""

from pathlib import Path

from django.conf import settings

from arena.bots.crests import CREST_CHARGES, CREST_DIVISIONS, CREST_TINCTURES
from arena.bots.models import Bot
from arena.pages.bots.crest import CHARGE_TITLES, DIVISION_TITLES, TINCTURE_TITLES
from arena.pages.svg.crests import TINCTURE_COLOURS, find_charge_icon

PARTS = {"division": "bend", "field": "wine", "second": "gold", "charge": "horse", "charge_tincture": "parchment"}


def test_an_author_chooses_and_goes_back(finished, reader, ana):
    client = reader(ana)
    page = client.get("/bots/kingfisher/crest/")
    assert [part.key for part in page.context["parts"]] == list(PARTS)
    assert all(sum(option.is_chosen for option in part.options) == 1 for part in page.context["parts"])
    assert "has a new crest" in client.post("/bots/kingfisher/crest/", PARTS, follow=True).text
    assert Bot.objects.get(slug="kingfisher").crest_design == "bend/wine/gold/horse/parchment"
    again = client.get("/bots/kingfisher/crest/").context["parts"]
    assert {part.key: next(one.key for one in part.options if one.is_chosen) for part in again} == PARTS
    client.post("/bots/kingfisher/crest/automatic/")
    assert Bot.objects.get(slug="kingfisher").crest_design == ""


def test_a_refusal_stands_beside_its_part_and_keeps_the_choice(finished, reader, ana):
    page = reader(ana).post("/bots/kingfisher/crest/", PARTS | {"charge_tincture": "gold"})
    (wrong,) = [part for part in page.context["parts"] if part.errors]
    assert wrong.key == "charge_tincture" and "else it can't be seen" in wrong.errors[0]
    assert next(one.key for one in wrong.options if one.is_chosen) == "gold"
    assert Bot.objects.get(slug="kingfisher").crest_design == ""


def test_every_part_has_a_name_a_drawing_and_its_line_in_the_sheet():
    """The preview follows by style alone: `crest.css` says again which colour each tincture is."""
    sheet = (Path(settings.BASE_DIR) / "arena/pages/static/css/crest.css").read_text()
    icons = (Path(settings.BASE_DIR) / "arena/pages/static/img/icons.svg").read_text()
    assert set(DIVISION_TITLES) == set(CREST_DIVISIONS) and set(CHARGE_TITLES) == set(CREST_CHARGES)
    assert set(TINCTURE_TITLES) == set(CREST_TINCTURES) == set(TINCTURE_COLOURS)
    for part, variable in {"field": "field", "second": "second", "charge_tincture": "charge"}.items():
        for tincture, colour in TINCTURE_COLOURS.items():
            assert f'[name="{part}"][value="{tincture}"]:checked) {{ --{variable}: {colour}; }}' in sheet
    for part, keys in {"division": CREST_DIVISIONS, "charge": CREST_CHARGES}.items():
        for key in keys:
            assert f'[name="{part}"][value="{key}"]:checked) .shows-{key}' in sheet
            icon = f"crest-{key}" if part == "division" else find_charge_icon(key)
            assert f'<symbol id="{icon}"' in icons
