"""Files of names as programs write them: any table is read back, in each dialect and encoding."""

import codecs
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.people.groups.listing import BadList, decode_list, read_as_other, read_name_list, read_table

HEADING = ["Name", "E-mail address", "Student number"]
WESTERN = "àâçèéêëîïôùñãøåæßäöü"
CENTRAL = "áéíóöőúüűÁÉÍÓÖŐÚÜŰ"
PLAIN = "abcXYZ 019 ,;\t\"'\n.@-"
# Before Python 3.13 the writer doesn't quote a lone carriage return where lines end with a line feed.
UNICODE = st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\ufeff")
LETTERS = {"cp1250": st.sampled_from(PLAIN + CENTRAL), "cp1252": st.sampled_from(PLAIN + WESTERN)}


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, list[list[str]]]:
    """Draw an encoding, and a table whose cells can be written in it."""
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1250", "cp1252"]))
    cell = st.text(LETTERS.get(encoding, UNICODE), max_size=8)
    width = draw(st.integers(0, 3))
    further = [f"Column {number}" for number in range(width)]
    row = st.lists(cell, min_size=3 + width, max_size=3 + width).filter(lambda cells: any(map(str.strip, cells)))
    return encoding, [HEADING + further, *draw(st.lists(row, max_size=6))]


@given(
    table=tables(),
    delimiter=st.sampled_from(",;\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\r\n", "\n"]),
)
def test_a_table_is_read_back(table: tuple[str, list[list[str]]], delimiter: str, quoting: int, end: str):
    encoding, rows = table
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(rows)
    data = file.getvalue().encode(encoding)
    decoded = decode_list(data)
    if encoding.startswith("cp"):
        # Some files mean something in both encodings: then the other reading is the one that was meant.
        text = decoded.text
        if text != file.getvalue():
            text = read_as_other(text, decoded.encoding).text
            assert decoded.other == encoding
    else:
        text = decoded.text
    assert text == file.getvalue()
    found = read_table(text)
    assert found is not None
    assert [found[0], *(cells for _line, cells in found[1])] == rows


@given(st.binary(max_size=300))
def test_any_file_is_read_or_refused(data: bytes):
    try:
        read_name_list(decode_list(data).text)
    except BadList as error:
        assert error.problems


@pytest.mark.parametrize(
    ("text", "encoding", "guessed", "other"),
    [
        ("Név\nKőszegi Ödön", "cp1250", "cp1250", "cp1252"),
        ("Name\nJürgen Groß", "cp1252", "cp1252", ""),
        ("Name\nFrançois Lefèvre", "cp1252", "cp1252", "cp1250"),
        ("Név\nŐri Ű", "utf-16-le", "utf-16-le", ""),
        ("Név\nŐri Ű", "utf-16-be", "utf-16-be", ""),
    ],
)
def test_encodings_are_told_apart_or_asked_about(text: str, encoding: str, guessed: str, other: str):
    decoded = decode_list(text.encode(encoding))
    assert (decoded.text, decoded.encoding, decoded.other) == (text, guessed, other)
    if other:
        assert read_as_other(read_as_other(text, encoding).text, other).text == text


@pytest.mark.parametrize("data", [b"PK\x03\x04\x14\0\0\0", codecs.BOM_UTF8 + b"\xff", b"\x81\x83\x8d"])
def test_what_is_no_text_is_refused(data: bytes):
    with pytest.raises(BadList, match="Save the spreadsheet as CSV"):
        decode_list(data)
