import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.runner.text import make_visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\n\ttwo ü 中 \U0001f600", "one\n\ttwo ü 中 \U0001f600"),
        ("\x1b[31mred\x07\x00", "\\x1b[31mred\\x07\\x00"),
        ("one\r\ntwo\rthree", "one\ntwo\\rthree"),
        ("\x7f\x85\x9b", "\\x7f\\x85\\x9b"),
        ("abc\u202edef\u2066\u200b", "abc\\u202edef\\u2066\\u200b"),
        ("\u2028\ufeff\ud800", "\\u2028\\ufeff\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, shown: str) -> None:
    assert make_visible(text) == shown


@given(st.text(st.characters()))
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    shown = make_visible(text)
    assert make_visible(shown) == shown
    assert all(char.isprintable() or char in "\n\t" for char in shown)
