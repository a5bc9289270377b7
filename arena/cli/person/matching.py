"""Find the action that a person means by a few letters."""

from collections.abc import Callable, Sequence


def find_actions(text: str, legal: Sequence[str]) -> list[str]:
    """Return the legal actions that a text may stand for, without regard to case.

    Whole words go before beginnings of words, and whole actions before those whose first word, the verb, is left out.
    Last come the actions that begin with these words: "claim" stands for every claim.
    """
    words = text.lower().split()
    for fits in (str.__eq__, is_beginning):
        for left_out in (0, 1):
            found = [action for action in legal if match_words(words, action.lower().split()[left_out:], fits)]
            if found:
                return found
    return [action for action in legal if action.lower().split()[: len(words)] == words] if words else []


def match_words(words: Sequence[str], action: Sequence[str], fits: Callable[[str, str], bool]) -> bool:
    """Return whether each word fits the word of the action at its place."""
    return bool(words) and len(words) == len(action) and all(map(fits, words, action))


def is_beginning(word: str, whole: str) -> bool:
    """Return whether a word is the whole one or begins it. Numbers are never cut, nor is a colour a card."""
    return word == whole or (word[-1:].isalpha() and whole.startswith(word) and not whole[len(word)].isdigit())
