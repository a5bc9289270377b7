"""Rows of a list of matches. A page has many, each with a dozen chips and names, so no template is asked for them."""

from collections.abc import Sequence
from functools import cache

from django.contrib.humanize.templatetags.humanize import ordinal
from django.forms import BoundField, Select
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.bots.models import BotVersion
from arena.matches.models import Match
from arena.pages.appearance import MATCH_STATES
from arena.pages.formatting import game_title
from arena.pages.matches.results import Change, Finish, Part, Row, signed
from arena.pages.phrases import said
from arena.pages.svg.icons import icon
from arena.pages.templatetags.pennant import finish_chip, version_name, when


def draw_rows(rows: Sequence[Row]) -> SafeString:
    """Of a list of matches of all bots."""
    return mark_safe("".join(map(draw_row, rows)))


def draw_own_rows(rows: Sequence[Row]) -> SafeString:
    """Of a list about one bot."""
    return mark_safe("".join(map(draw_own_row, rows)))


def draw_row(row: Row) -> str:
    match = row.match
    state = draw_state(match.state)
    return (
        f"<tr><td>{draw_number(match)}{under(game_title(match.game))}</td>"
        f'<td class="parts">{"".join(map(draw_name, row.parts))}</td>'
        f'<td class="number">{draw_scores(row, state)}</td>'
        f'<td class="number wide-only">{draw_changes(row)}</td>'
        f'<td class="wide-only">{state}{draw_reason(match)}</td>'
        f'<td class="number">{draw_time(match)}</td></tr>'
    )


def draw_own_row(row: Row) -> str:
    match, own = row.match, row.own
    change = draw_change(own.change, row.is_rated) if own and match.state == Match.State.FINISHED else ""
    return (
        f"<tr><td>{draw_number(match)}</td>"
        f"<td>{draw_result(row)}{draw_reason(match)}{draw_faults(own)}</td>"
        f"<td>{draw_others(row)}</td>"
        f'<td class="number">{change}</td>'
        f'<td class="number">{draw_time(match)}</td></tr>'
    )


def draw_control(field: BoundField) -> SafeString:
    """As the field would draw itself, which for a choice asks a template for every option."""
    if field.errors or type(field.field.widget) is not Select:
        return field.as_widget()
    chosen = str(field.value() or "")
    options = "".join(draw_option(str(key), str(words), chosen) for key, words in field.field.choices)
    return mark_safe(f'<select name="{field.html_name}" id="{field.id_for_label}">{options}</select>')


def draw_option(key: str, words: str, chosen: str) -> str:
    return f'<option value="{escape(key)}"{" selected" * (key == chosen)}>{escape(words)}</option>'


def draw_number(match: Match) -> str:
    return f'<a href="{match.get_absolute_url()}">{match.pk}</a>'


def draw_name(part: Part) -> str:
    """A participant and its faults; who won alone stands out."""
    is_first = part.finish is not None and part.finish.is_first
    return f'<span class="part">{link(part.version, "name" if is_first else "plain-name")}{draw_faults(part)}</span>'


def link(version: BotVersion, look: str) -> str:
    name, address = escape(version.bot.name), escape(version.get_absolute_url())
    return f'<a class="{look}" href="{address}">{name}&nbsp;<span class="muted">{version.number}</span></a>'


def draw_scores(row: Row, state: str) -> str:
    """Points of each, with the places where there are more than two; before the end, the state for narrow screens."""
    if not row.parts or not row.parts[0].score:
        return f'<span class="phone-only">{state}</span>'
    return "".join(
        f'<span class="part">{"" if row.is_duel else draw_place(part)}<b>{part.score}</b></span>' for part in row.parts
    )


def draw_place(part: Part) -> str:
    return f'<span class="muted">{ordinal(part.finish.place) if part.finish else ""}</span> '


def draw_changes(row: Row) -> str:
    if row.match.state != Match.State.FINISHED:
        return ""
    if not row.is_rated:
        return draw_change(None, False)
    return "".join(f'<span class="part">{draw_change(part.change, True)}</span>' for part in row.parts)


def draw_change(change: Change | None, is_rated: bool) -> str:
    """What became of a rating; nothing of a rated match that is not counted yet."""
    if change is None:
        word = _("unrated")
        return "" if is_rated else f'<span class="chip plain">{escape(word)}</span>'
    if change.is_taken_back:
        word = _("taken back")
        return f'<span class="change void">{signed(change.elo)}<span class="hidden-text"> {escape(word)}</span></span>'
    return f'<span class="change {change.way}">{signed(change.elo)}</span>'


def draw_result(row: Row) -> str:
    """How it went for the bot that the list is about."""
    own = row.own
    if own is None or own.finish is None:
        return draw_state(row.match.state)
    if row.is_duel:
        score = f"{own.score}–{''.join(part.score for part in row.others)}"
    else:
        score = _("%(score)s of %(best)s") % {"score": own.score, "best": row.best_score}
    return f'{draw_finish(own.finish)} <span class="number small">{escape(score)}</span>'


def draw_others(row: Row) -> str:
    if row.is_duel:
        return "".join(render_to_string("parts/version_name.html", version_name(part.version)) for part in row.others)
    return "".join(f'<span class="part">{link(part.version, "plain-name")}</span>' for part in row.others)


def draw_reason(match: Match) -> str:
    """Why it is void."""
    return under(said(match.void_reason)) if match.void_reason else ""


def under(words: str) -> str:
    return f'<span class="under">{escape(words)}</span>'


def draw_time(match: Match) -> str:
    return render_to_string("parts/when.html", when(match.finished_at or match.created_at))


def draw_faults(part: Part | None) -> str:
    faults = part.faults if part else []
    return "".join(f' <span class="chip bad">{icon(one.icon)}{escape(one.label)}</span>' for one in faults)


def draw_finish(finish: Finish) -> str:
    return chip_of_finish(finish, get_language())


def draw_state(state: str) -> str:
    return chip_of_state(state, get_language())


@cache
def chip_of_finish(finish: Finish, language: str | None) -> str:
    """In the reader's language, which is `language`."""
    return render_to_string("parts/chip.html", finish_chip(finish))


@cache
def chip_of_state(state: str, language: str | None) -> str:
    """In the reader's language, which is `language`."""
    chip = MATCH_STATES[Match.State(state)]
    return f'<span class="chip {chip.tone}">{icon(chip.icon)}{escape(chip.label)}</span>'
