import re
from pathlib import Path

import pytest
from django.test import Client

from arena.pages.serving import THEME_COOKIE

TOKENS = (Path(__file__).parents[3] / "arena/pages/static/css/tokens.css").read_text()


def test_the_system_decides_until_somebody_chooses(db):
    assert "data-theme" not in Client().get("/").text.partition("<head>")[0]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chosen_theme_is_remembered(db, theme):
    client = Client()
    answer = client.post("/theme/", {"theme": theme, "next": "/bots/?page=1"})
    assert answer["Location"] == "/bots/?page=1"
    assert f'data-theme="{theme}"' in client.get("/").text


def test_the_choice_can_be_given_back_to_the_system(db):
    client = Client()
    client.post("/theme/", {"theme": "dark"})
    client.post("/theme/", {"theme": "system"})
    assert not client.cookies[THEME_COOKIE].value


@pytest.mark.parametrize("back", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)", ""])
def test_nobody_is_sent_elsewhere(db, back):
    assert Client().post("/theme/", {"theme": "dark", "next": back})["Location"] == "/"


def test_an_unknown_theme_changes_nothing(db):
    client = Client()
    client.post("/theme/", {"theme": "<pink>"})
    assert THEME_COOKIE not in client.cookies


def test_a_theme_is_chosen_by_post_only(db):
    assert Client().get("/theme/").status_code == 405


def colours() -> dict[str, tuple[str, str]]:
    """Light and dark value by token."""
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", TOKENS)
    plain = re.findall(r"--([\w-]+): (#\w{6});", TOKENS)
    return {name: (light, dark) for name, light, dark in pairs} | {name: (value, value) for name, value in plain}


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


SURFACES = ("page", "panel", "sunken", "raised", "table")
ON_SURFACES = [(ink, surface) for ink in ("ink", "ink-2") for surface in SURFACES]
PAIRS = [
    *ON_SURFACES,
    ("on-accent", "accent"),
    ("accent", "panel"),
    ("ink", "accent-soft"),
    *((tone, f"{tone}-soft") for tone in ("good", "bad", "warn", "info")),
    ("bad", "page"),
    *(("on-seat", f"seat-{seat}") for seat in range(4)),
    ("on-tactic", "tactic"),
    ("card-ink", "orange"),
    ("card-ink", "yellow"),
    ("card-ink", "blue"),
]


def test_text_and_the_focus_ring_stand_out_from_what_they_lie_on():
    focus = [("focus", surface) for surface in ("page", "panel", "sunken")]
    known = colours()
    pale = [
        (text, ground, theme)
        for least, pairs in ((4.5, PAIRS), (3, focus))
        for text, ground in pairs
        for theme in (0, 1)
        if contrast(known[text][theme], known[ground][theme]) < least
    ]
    assert pale == []
    assert [suit for suit in ("red", "green", "purple") if contrast("#FFFFFF", known[suit][0]) < 4.5] == []
