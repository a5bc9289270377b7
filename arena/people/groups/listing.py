"""Read a list of names: CSV from a spreadsheet or a learning platform, or lines as people type them."""

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from arena.core.errors import ArenaError
from engine.message import Message, gettext_noop, message

MAX_LISTED = 100
MAX_NAME_LENGTH = 80
MAX_NUMBER_LENGTH = 40
MAX_FURTHER_COLUMNS = 20
MAX_CELL_LENGTH = 200
SEPARATORS = re.compile(r"[\t;,<>]")
"""What stands between columns of spreadsheets, and around addresses copied from a mail."""
ADDRESS = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")
INVISIBLE_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn")


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A person of a list."""

    real_name: str
    """May be empty where there is an address."""
    email: str
    """In small letters; empty where the line has none."""
    number: str = ""
    """Student number; empty where the line has none."""
    columns: tuple[tuple[str, str], ...] = ()
    """Further columns with their headings, in the list's order; empty cells are left out."""

    def is_same_person(self, other: "ListedPerson") -> bool:
        """Return whether two entries stand for one person: addresses and numbers count more than names."""
        pairs = [(one, two) for one, two in ((self.email, other.email), (self.number, other.number)) if one and two]
        if pairs:
            return any(one == two for one, two in pairs)
        return bool(self.real_name) and self.real_name.casefold() == other.real_name.casefold()


@dataclass(frozen=True, slots=True)
class ListLine:
    """A line of a list as it was read."""

    number: int
    """Where it begins in the file, from 1."""
    person: ListedPerson
    problem: Message | None = None


class BadList(ArenaError):
    """A list that can't be read; `problems` has a message for each line that is wrong."""

    def __init__(self, problems: list[Message]) -> None:
        super().__init__(problems[0])
        self.problems = problems


# Turn a file into text.

WESTERN, CENTRAL = "cp1252", "cp1250"
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
READ_AS_CENTRAL = frozenset("õûÕÛ")
"""Letters that Windows-1252 has where Hungarian names have ő and ű in Windows-1250."""


@dataclass(frozen=True, slots=True)
class DecodedList:
    """The text of a file."""

    text: str
    encoding: str
    other: str = ""
    """The other encoding in which the file could be meant, where that gives different letters."""


def decode_list(data: bytes) -> DecodedList:
    """Return a file's text. Raise BadList for what isn't text.

    Libraries that guess encodings need sentences; names are too short for them. So the two old encodings are told apart
    by what they make of the file, and where both make sense, `other` names the one to ask about.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return DecodedList(_decode(data, encoding) or _refuse_file(), encoding)
    for encoding, zeros in (("utf-16-le", data[1::2]), ("utf-16-be", data[::2])):
        if 2 * zeros.count(0) > len(zeros):
            return DecodedList(_decode(data, encoding) or _refuse_file(), encoding)
    text = _decode(data, "utf-8")
    return _decode_old(data) if text is None else DecodedList(text, "utf-8")


def _decode_old(data: bytes) -> DecodedList:
    """Return the text of a file in one of the two old Windows encodings. Raise BadList."""
    western, central = _decode(data, WESTERN), _decode(data, CENTRAL)
    if western is None or central is None:
        found = (western, WESTERN) if central is None else (central, CENTRAL)
        return DecodedList(found[0] or _refuse_file(), found[1])
    if western == central:
        return DecodedList(western, WESTERN)
    differing = {one for one, two in zip(western, central, strict=True) if one != two}
    if all(one in READ_AS_CENTRAL or not one.isalpha() for one in differing):
        return DecodedList(central, CENTRAL, WESTERN)
    return DecodedList(western, WESTERN, CENTRAL)


def read_as_other(text: str, encoding: str) -> DecodedList:
    """Return a text that was read in one of the two old Windows encodings as the other gives it. Raise BadList."""
    other = WESTERN if encoding == CENTRAL else CENTRAL
    try:
        return DecodedList(text.encode(encoding).decode(other), other, encoding)
    except UnicodeError:
        problem = gettext_noop("The list can't be read with this encoding. Choose the file again.")
        raise BadList([message(problem)]) from None


def _decode(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeError:
        return None
    return None if "\0" in text else text


def _refuse_file() -> str:
    problem = gettext_noop("The file isn't text. Save the spreadsheet as CSV and choose that file.")
    raise BadList([message(problem)])


# Find the columns of a table by its heading.

DELIMITERS = (",", ";", "\t")
HEADINGS = {
    "name": "name fullname displayname student studentname participant nev teljesnev hallgato tanulo hallgatoneve "
    "tanuloneve diakneve nyomtatasinev",
    "first": "firstname givenname forename keresztnev utonev",
    "last": "lastname surname familyname vezeteknev csaladnev",
    "email": "email emailaddress mail mailaddress emailcim emailcime mailcim levelezesicim",
    "number": "number studentnumber studentid studentno idnumber id matriculationnumber neptun neptunkod neptuncode "
    "azonosito azonositoszam azonositoszama hallgatoiazonosito tanuloiazonosito oktatasiazonosito",
}
"""What headings mean, in English and Hungarian, as Moodle, Neptun and people write them: letters and digits alone."""
MEANINGS = {heading: meaning for meaning, headings in HEADINGS.items() for heading in headings.split()}
SURNAME_FIRST = frozenset({"vezeteknev", "csaladnev"})
"""Headings of lists whose people put the surname first."""

Row = tuple[int, list[str]]
"""Line at which a row begins, and its cells."""


def read_table(text: str) -> tuple[list[str], list[Row]] | None:
    """Return the heading and the rows of a table, or None for lines without a heading. Raise BadList.

    The delimiter is the one under which most headings are known, and then most rows are as long as the heading.
    """
    best: tuple[tuple[int, int], list[Row]] | None = None
    for delimiter in DELIMITERS:
        try:
            rows = list(_iterate_rows(text, delimiter))
        except csv.Error:
            continue
        if not rows or not _is_heading(rows[0][1]):
            continue
        width = len(rows[0][1])
        score = sum(_simplify(cell) in MEANINGS for cell in rows[0][1]), sum(len(row) == width for _, row in rows)
        if best is None or score > best[0]:
            best = score, rows
    return (best[1][0][1], best[1][1:]) if best else None


def _iterate_rows(text: str, delimiter: str) -> Iterator[Row]:
    """Yield the rows that aren't empty, with the lines at which they begin. Raise csv.Error."""
    reader, begins = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1
    for row in reader:
        if any(cell.strip() for cell in row):
            yield begins, row
        begins = reader.line_num + 1


def _is_heading(cells: Sequence[str]) -> bool:
    meanings = {MEANINGS.get(_simplify(cell)) for cell in cells}
    return bool(meanings & {"name", "first", "last", "email"}) and not any("@" in cell for cell in cells)


def _simplify(heading: str) -> str:
    """Return a heading without capitals, accents, spaces and hyphens."""
    return "".join(one for one in unicodedata.normalize("NFKD", heading.casefold()) if one.isalnum())


# Read the people.


def read_name_list(text: str) -> list[ListedPerson]:
    """Return the people of a list; empty lines don't count. Raise BadList with all that is wrong."""
    lines = read_list_lines(text)
    problems = [line.problem for line in lines if line.problem is not None]
    if problems:
        raise BadList(problems)
    return [line.person for line in lines]


def read_list_lines(text: str) -> list[ListLine]:
    """Return the lines of a list that aren't empty, each with its problem. Raise BadList for what is no list."""
    text = text.removeprefix("\ufeff")
    table = read_table(text)
    found = _read_rows(*table) if table else _read_plain_lines(text)
    lines: list[ListLine] = []
    for line in found:
        if len(lines) == MAX_LISTED:
            most = message(gettext_noop("A list can have at most %(most)s people: split it."), most=MAX_LISTED)
            return [*lines, replace(line, problem=most)]
        lines.append(line if line.problem else replace(line, problem=_find_problem(line, lines)))
    if not lines:
        raise BadList([message(gettext_noop("The list has no names."))])
    return lines


def _read_rows(heading: list[str], rows: list[Row]) -> Iterator[ListLine]:
    """Yield the people of a table."""
    simple = [_simplify(cell) for cell in heading]
    places: dict[str, int] = {}
    for place, cell in enumerate(simple):
        if cell in MEANINGS:
            places.setdefault(MEANINGS[cell], place)
    order = ("last", "first") if SURNAME_FIRST & set(simple) else ("first", "last")
    of_name = [places[part] for part in (("name",) if "name" in places else order) if part in places]
    taken = {*of_name, *(places[one] for one in ("email", "number") if one in places)}
    further = [(place, _clean(cell)) for place, cell in enumerate(heading) if place not in taken and cell.strip()]
    if len(further) > MAX_FURTHER_COLUMNS:
        problem = gettext_noop("A list can have at most %(most)s extra columns: delete those you don't need.")
        raise BadList([message(problem, most=MAX_FURTHER_COLUMNS)])
    for number, row in rows:
        cells = [_clean(cell) for cell in row]
        cells += [""] * (len(heading) - len(cells))
        person = ListedPerson(
            real_name=" ".join(cells[place] for place in of_name if cells[place]),
            email=cells[places["email"]].lower() if "email" in places else "",
            number=cells[places["number"]] if "number" in places else "",
            columns=tuple((title, cells[place]) for place, title in further if cells[place]),
        )
        problem = gettext_noop(
            "Line %(line)s has more cells than the header row. Put cells with a comma or semicolon in quotes."
        )
        is_too_long = any(cells[len(heading) :])
        yield ListLine(number, person, message(problem, line=number) if is_too_long else None)


def _read_plain_lines(text: str) -> Iterator[ListLine]:
    """Yield the people of a list without a heading: each line a name, perhaps with an address and a number."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield ListLine(number, _read_line(line))


def _read_line(line: str) -> ListedPerson:
    fields = [_clean(field) for field in _split_line(line)]
    addresses = [field for field in fields if "@" in field]
    names = [field for field in fields if field and "@" not in field]
    # Student numbers have digits and are one word; names have none.
    number = next((field for field in names[1:] if " " not in field and any(one.isdigit() for one in field)), "")
    name = " ".join(field for field in names if field is not number)
    return ListedPerson(name, " ".join(addresses).lower(), number)


def _split_line(line: str) -> list[str]:
    if '"' not in line:
        return SEPARATORS.split(line)
    return max((next(csv.reader([line], delimiter=delimiter)) for delimiter in DELIMITERS), key=len)


def _clean(cell: str) -> str:
    """Return what can be read in a cell, with single spaces."""
    spaced = " ".join(cell.split())
    visible = "".join(one for one in spaced if unicodedata.category(one) not in INVISIBLE_CATEGORIES)
    return unicodedata.normalize("NFC", " ".join(visible.split()))


def _find_problem(line: ListLine, before: list[ListLine]) -> Message | None:
    """Return what is wrong with a line, or None."""
    person, number = line.person, line.number
    if person.email and not ADDRESS.fullmatch(person.email):
        problem = gettext_noop("Line %(line)s: %(email)s isn't an email address.")
        return message(problem, line=number, email=person.email)
    if not person.real_name and not person.email:
        return message(gettext_noop("Line %(line)s has no name."), line=number)
    if len(person.real_name) > MAX_NAME_LENGTH:
        problem = gettext_noop("Line %(line)s: a name can have at most %(most)s characters.")
        return message(problem, line=number, most=MAX_NAME_LENGTH)
    if len(person.number) > MAX_NUMBER_LENGTH:
        problem = gettext_noop("Line %(line)s: a student number can have at most %(most)s characters.")
        return message(problem, line=number, most=MAX_NUMBER_LENGTH)
    if any(len(part) > MAX_CELL_LENGTH for pair in person.columns for part in pair) or len(person.email) > 254:
        problem = gettext_noop("Line %(line)s: a cell can have at most %(most)s characters.")
        return message(problem, line=number, most=MAX_CELL_LENGTH)
    same = next((one for one in before if one.problem is None and one.person.is_same_person(person)), None)
    if same is not None:
        problem = gettext_noop(
            "Lines %(line)s and %(other)s are identical. If they're two different people, add something to "
            "tell them apart."
        )
        return message(problem, line=same.number, other=number)
    return None
