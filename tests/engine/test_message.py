"""Messages are data: they render in English by themselves, and survive JSON."""

import json

from hypothesis import given
from hypothesis import strategies as st

from engine.message import Message, literal, message

texts = st.text(max_size=20)
leaves = st.builds(
    lambda text, number: Message("%(text)s and %(number)s", {"text": text, "number": number}), texts, st.integers()
)
messages = st.recursive(
    leaves, lambda inner: st.builds(lambda nested: Message("100 %%: %(nested)s", {"nested": nested}), inner)
)


def test_a_message_renders_its_values_and_nested_messages() -> None:
    reason = message("flag %(flag)s is already claimed (BL-5)", flag=3)
    assert str(message("Illegal in leg %(leg)s. %(reason)s", leg=2, reason=reason)) == (
        "Illegal in leg 2. flag 3 is already claimed (BL-5)"
    )


def test_a_literal_message_may_hold_any_text() -> None:
    assert str(literal("100 % of %(this)s")) == "100 % of %(this)s"


@given(messages)
def test_a_message_survives_json(one: Message) -> None:
    again = Message.from_json(json.loads(json.dumps(one.to_json())))
    assert again == one and str(again) == str(one)
