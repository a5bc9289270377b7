"""Every ruling on Battalion has a test that names it."""

import re
from pathlib import Path

RULINGS = {*range(1, 6), *range(10, 18), *range(20, 28), 30, 31, 35, *range(40, 43)}


def test_every_ruling_is_named_by_a_test() -> None:
    named = set()
    for path in Path(__file__).parent.glob("test_rulings_*.py"):
        for name in re.findall(r"^def test_bt_([a-z0-9_]+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            named |= {int(number) for number in re.findall(r"^\d+|(?<=_and_)\d+", name)}
    assert named == RULINGS


def test_the_engine_names_no_other_ruling() -> None:
    folder = Path(__file__).parents[3] / "engine" / "games" / "battalion"
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.suffix in (".py", ".md")]
    assert {int(number) for text in texts for number in re.findall(r"BT-(\d+)", text)} <= RULINGS
