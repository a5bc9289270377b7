"""Read a list of names that an organiser pasted: one person a line, with or without a mail address."""

import re
import unicodedata
from dataclasses import dataclass

from arena.errors import ArenaError
from engine.message import Message, gettext_noop, message

MAX_LISTED = 100
MAX_NAME_LENGTH = 80
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


class BadList(ArenaError):
    """A list that can't be read; `problems` has a message for each line that is wrong."""

    def __init__(self, problems: list[Message]) -> None:
        super().__init__(problems[0])
        self.problems = problems


def read_name_list(text: str) -> list[ListedPerson]:
    """Return the people of a list; empty lines don't count. Raise BadList with all that is wrong."""
    people: list[ListedPerson] = []
    problems: list[Message] = []
    names: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        person = _read_line(line)
        problem = _find_problem(person, number, names)
        if problem is not None:
            problems.append(problem)
        else:
            people.append(person)
            names |= {key: number for key in (person.real_name.casefold(), person.email) if key}
    if len(people) > MAX_LISTED:
        problems.append(message(gettext_noop("A list has at most %(most)s people: split it."), most=MAX_LISTED))
    if problems or not people:
        raise BadList(problems or [message(gettext_noop("The list has no names."))])
    return people


def _read_line(line: str) -> ListedPerson:
    visible = "".join(one for one in line if one == "\t" or unicodedata.category(one) not in INVISIBLE_CATEGORIES)
    fields = [" ".join(field.split()) for field in SEPARATORS.split(visible)]
    addresses = [field for field in fields if "@" in field]
    name = " ".join(field for field in fields if field and "@" not in field)
    return ListedPerson(unicodedata.normalize("NFC", name), " ".join(addresses).lower())


def _find_problem(person: ListedPerson, number: int, seen: dict[str, int]) -> Message | None:
    """Return what is wrong with a line; None if nothing is. `seen` has the lines of names and addresses before it."""
    if person.email and not ADDRESS.fullmatch(person.email):
        problem = gettext_noop("Line %(line)s: %(email)s is not a mail address.")
        return message(problem, line=number, email=person.email)
    if not person.real_name and not person.email:
        return message(gettext_noop("Line %(line)s has no name."), line=number)
    if len(person.real_name) > MAX_NAME_LENGTH:
        problem = gettext_noop("Line %(line)s: a name has at most %(most)s characters.")
        return message(problem, line=number, most=MAX_NAME_LENGTH)
    for key in (person.email, person.real_name.casefold()):
        if key and key in seen:
            problem = gettext_noop(
                "Line %(line)s is the same as line %(other)s. If these are two people, add something that tells them "
                "apart."
            )
            return message(problem, line=number, other=seen[key])
    return None
