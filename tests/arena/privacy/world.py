"""An arena full of things that are not for everybody, and who may see which."""

import json

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.usersessions.models import UserSession
from django.test import Client
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion, Submission, Token
from arena.bots.services import add_version, create_bot
from arena.bots.teams import issue_token
from arena.contests.analysis.models import pack
from arena.contests.atlas.services import count_missed_legs
from arena.contests.challenges.services import create_challenge
from arena.contests.comparisons.models import Comparison
from arena.contests.comparisons.services import ComparisonSettings, queue_comparison_matches, start_comparison
from arena.contests.following.models import Timing
from arena.contests.following.services import choose_timing, follow
from arena.contests.formations.models import make_formation
from arena.contests.ladders.models import CollusionReport, Entry, Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.remote import create_remote_bot, join_open_ladder
from arena.contests.ladders.services.seasons import close_season, derive_match_deal, open_season
from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.services import organising as tournaments
from arena.contests.tournaments.services.entering import enter as enter_tournament
from arena.contests.tournaments.services.playing import advance_tournament
from arena.matches.livegames.models import LiveDecision, LiveGame
from arena.matches.livegames.playing import PersonSeat, Sitting, resign, start_live_game
from arena.matches.livegames.position import LivePlayer
from arena.matches.livegames.queries import hash_position
from arena.matches.models import Attempt, Leg, LegSeat, Match, WorkerStatus
from arena.matches.services import claim_match, queue_match, queue_trial
from arena.people.accounts.models import User
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from engine.message import literal
from tests.arena.contests.puzzles.made import make_puzzles
from tests.arena.privacy.groups import make_group
from tests.arena.privacy.secrets import NOBODY, OF, OWNER, STAFF, World
from tests.conftest import Play

BOT = """
# {comment}
import json, sys
print("{log}", file=sys.stderr)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type": "ready"}}', flush=True)
    elif message["type"] == "turn":
        print(json.dumps({{"action": message["legal"][0]}}), flush=True)
"""


def make_world(play: Play) -> World:
    people = {
        "owner": User.objects.create_user("ana", "ana@private.example", "a word of Ana's"),
        "rival": User.objects.create_user("ben", "ben@private.example"),
        "stranger": User.objects.create_user("eva"),
        "staff": User.objects.create_superuser("sam", password="a word of Sam's"),
    }
    world = World(people)
    WorkerStatus.objects.create(worker="one", level="A")
    world.hide("address of the owner", people["owner"].email, STAFF | {"owner"}, False)
    world.hide("address of the rival", people["rival"].email, STAFF | {"rival"}, False)
    world.hide("password", people["owner"].password.rpartition("$")[2], NOBODY)
    versions = make_versions(world)
    ladder = make_seasons(world, versions)
    make_matches(world, play, ladder, versions)
    make_live_games(world, versions[0])
    make_contests(world, versions)
    make_twins(world, play, ladder, versions)
    make_analyses(world)
    make_tournaments(world, versions)
    make_puzzles()
    make_letters(world)
    make_tokens(world)
    make_group(world)
    make_second_factor(world)
    count_missed_legs(budget_s=60)
    return world


def make_second_factor(world: World) -> None:
    """Ana has an app and recovery codes, and is signed in on a device, too."""
    owner = world.people["owner"]
    TOTP.activate(owner, world.hide("secret of the app", generate_totp_secret(), NOBODY))
    codes = RecoveryCodes.activate(owner)
    world.hide("recovery code", codes.get_unused_codes()[0], NOBODY)
    for stored in Authenticator.objects.filter(user=owner):
        world.hide(f"stored {stored.type}", str(stored.data.get("secret") or stored.data["seed"]), NOBODY)
    device = Client(headers={"User-Agent": "Mozilla/5.0 Firefox/140.0"}, REMOTE_ADDR="198.51.100.77")
    device.force_login(owner)
    device.get("/settings/")
    row = UserSession.objects.get(user=owner)
    world.hide("address of a session", row.ip, frozenset({"owner"}))
    world.hide("key of a session", row.session_key, NOBODY)
    world.names["session"] = row.pk


def make_versions(world: World) -> list[BotVersion]:
    """Ana's and Ben's, on the ladder; a second of Ana's that waits for its trial, and one that didn't build."""
    made = []
    for role, name in (("owner", "Kingfisher"), ("rival", "Heron")):
        may = OWNER if role == "owner" else frozenset({"rival"})
        comment = world.hide(f"source of the {role}", f"The plan of the {role} is to wait", may, role == "owner")
        log = world.hide(f"log of the {role}", f"The diary of the {role} says", may, role == "owner")
        bot = create_bot(owner=world.people[role], name=name, game="battleline")
        files = {"bot.py": BOT.format(comment=comment, log=log).encode()}
        made.append(add_version(bot=bot, files=files, state=BotVersion.State.ACCEPTED))
    ana = made[0].bot
    older = {"bot.py": BOT.format(comment="older", log="older").encode()}
    made.append(add_version(bot=ana, files=older, state=BotVersion.State.ACCEPTED))
    newer = {"bot.py": BOT.format(comment="newer", log="newer").encode()}
    queued = add_version(bot=ana, files=newer, state=BotVersion.State.ON_TRIAL)
    trial = queue_trial(version=queued)
    assert trial is not None
    hide_match(world, "trial", trial)
    failed = add_version(bot=ana, files={"bot.go": b"package main"}, state=BotVersion.State.REJECTED)
    failed.build_log = world.hide("build log", "main.go:7: the compiler complains", OWNER)
    quoted = world.hide("what a rejected version sent", "the words that nobody could read", OWNER)
    failed.state_reason, failed.state_detail = literal("Invalid answer in leg 1 of its trial."), literal(quoted)
    failed.save()
    create_bot(owner=world.people["owner"], name="Osprey", game="battleline")
    Submission.objects.create(
        owner=world.people["owner"],
        key=world.hide("idempotency key", "a-key-of-her-own-choice", OWNER, False),
        fingerprint="0" * 64,
        version=made[0],
    )
    return made


def make_seasons(world: World, versions: list[BotVersion]) -> Ladder:
    """One that is over, whose secret is out, and one that runs."""
    first = open_season(game="battleline", edition="standard", title="Battle Line")
    for version in versions[:2]:
        enter_version(ladder=first, version=version)
    ladder = close_season(ladder=first)
    world.hide("season secret", ladder.secret, NOBODY)
    other = open_season(game="battalion", edition="standard", title="Battalion")
    world.hide("secret of the other season", other.secret, NOBODY)
    remote = create_remote_bot(
        owner=world.people["owner"], name="Far kingfisher", game="battleline", declared="a laptop in the kitchen"
    )
    edition = {"game": "battleline", "edition": "standard", "clock": "open"}
    opened = join_open_ladder(bot=remote, by=world.people["owner"], **edition).ladder
    world.hide("secret of the open season", opened.secret, NOBODY)
    formation = make_formation("0,2,4/0,2")
    formation.deployed = 1
    formation.save()
    world.names["formation"] = formation.pk
    return ladder


def make_matches(world: World, play: Play, ladder: Ladder, versions: list[BotVersion]) -> None:
    finished, underway, queued = (queue_rated(ladder, versions[:2]) for _ in range(3))
    assert play(finished) and play(underway)
    LadderMatch.objects.filter(match=underway).update(in_flight=True)
    Match.objects.filter(pk=underway.pk).update(state=Match.State.RUNNING, started_at=now(), finished_at=None)
    seats = LegSeat.objects.filter(participant__version=versions[0])
    fault = {"message": world.hide("fault", "the fault of the owner's bot", OWNER), "sent": "", "request": None}
    seats.filter(leg__match=finished, seat=0).update(verdict="illegal", fault=fault)
    LegSeat.objects.filter(leg__match=underway).update(stderr=world.hide("log of now", "what it writes now", NOBODY))
    assert append_finished_matches(ladder=ladder) == 1
    running = queue_rated(ladder, versions[:2])
    attempt = claim_match(match_id=running.pk, worker="mill")
    assert attempt is not None
    world.hide("token of an attempt", attempt.token, NOBODY)
    told = {"leg": 2, "actions": Leg.objects.get(match=underway, number=2).record_data["actions"][:20]}
    Attempt.objects.create(match=underway, number=2, worker="mill", token="7" * 32, underway=told)
    world.hide("replay of now", f"/matches/{underway.pk}/legs/1/record", NOBODY)
    for name, match in (("underway", underway), ("queued", queued), ("running", running)):
        hide_match(world, name, match)
    world.names["finished"] = finished.pk
    entry = Entry.objects.get(ladder=ladder, version=versions[0])
    CollusionReport.objects.create(entry=entry, opponent=world.people["rival"], z=5.5, matches=1_987_654_321)
    world.hide("collusion", "1987654321", STAFF, False)  # long: six digits are found in the random id of some request


def queue_rated(ladder: Ladder, versions: list[BotVersion]) -> Match:
    ladder.refresh_from_db()
    ladder.last_number += 1
    ladder.save(update_fields=["last_number"])
    deal, salts = derive_match_deal(ladder, ladder.last_number, 2)
    match = queue_match(versions=versions, game="battleline", edition="standard", deal=deal, salts=salts)
    LadderMatch.objects.create(ladder=ladder, match=match, number=ladder.last_number)
    return match


def hide_match(world: World, name: str, match: Match) -> None:
    """Its salts, and of its deal the first cards of each pile."""
    world.names[name] = match.pk
    for leg in Leg.objects.filter(match=match):
        world.hide(f"salt of the {name} match", leg.salt, NOBODY)
    for pile, cards in match.deal.items():
        if isinstance(cards, list) and len(cards) > 7:
            world.hide(
                f"{pile} of the {name} match", json.dumps(cards[:8])[1:-1], NOBODY
            )  # fewer tactics come by chance, too


def make_live_games(world: World, version: BotVersion) -> None:
    """Ana plays against her own bot, waits for somebody with a link, and has left a game."""
    player = LivePlayer(world.people["owner"])
    running, left = (begin_live_game(player, PersonSeat.ME, version) for _ in range(2))
    resign(game=left, player=player)
    seating = begin_live_game(player, PersonSeat.ME, PersonSeat.LINK)
    world.names |= {"table": running.slug, "left": left.slug, "seating": seating.slug}
    world.hide("link to a seat", seating.seats.get(seat=1).link or "", OWNER)
    world.hide("salt of a live game", running.salt, NOBODY)
    troops = running.deal["troops"]
    for name, cards in (("hand of a bot", troops[7:12]), ("deck", troops[14:19])):
        world.hide(f"{name} in a live game", json.dumps(cards)[1:-1], NOBODY)
    world.hide("hand of a person", json.dumps(troops[:5])[1:-1], OWNER)
    note = world.hide("note in a live game", "I think of fog", NOBODY)
    LiveDecision.objects.filter(game=running).update(entry={"seat": 0, "action": "pass", "note": note})
    running.seats.update(stderr=world.hide("log in a live game", "what it writes at the table", NOBODY))
    hint = [{"action": f"play {troops[0]} 5", "chance": float(world.hide("hint in a live game", "0.731246", OWNER))}]
    running.hints.create(number=0, draft=[], position=hash_position(0, []), state="done", result=hint)


def begin_live_game(player: LivePlayer, *seats: BotVersion | PersonSeat) -> LiveGame:
    sitting = Sitting("battleline", seats, has_hints=PersonSeat.LINK not in seats)
    return start_live_game(player=player, sitting=sitting, address="")


def make_contests(world: World, versions: list[BotVersion]) -> None:
    owner, (own, other, older) = world.people["owner"], versions
    met = create_challenge(owner=owner, version=own, opponent=other)
    hide_match(world, "challenge", met.match)
    comparison = start_comparison(owner=owner, version=older, baseline=own)
    world.names["comparison"] = comparison.pk
    detail = world.hide("why a version was not promoted", "three of your bots play already", OWNER)
    Comparison.objects.filter(pk=comparison.pk).update(state_detail=literal(detail))
    for match in queue_comparison_matches(comparison=comparison):
        hide_match(world, "comparison's", match)


def make_twins(world: World, play: Play, ladder: Ladder, versions: list[BotVersion]) -> None:
    """Two matches with the same deal, of which one is over and the other waits."""
    extra = make_bot(world.people["stranger"], "Egret")
    enter_version(ladder=ladder, version=extra)
    comparison = start_comparison(
        owner=world.people["owner"],
        version=versions[2],
        baseline=versions[0],
        settings=ComparisonSettings(mode="field"),
    )
    first, second = queue_comparison_matches(comparison=comparison)[:2]
    assert first.deal == second.deal and play(first)
    hide_match(world, "twin", second)
    world.names["played_twin"] = first.pk
    world.hide("replay of a twin", f"/matches/{first.pk}/legs/1/record.json", NOBODY)


def make_analyses(world: World) -> None:
    """One of the finished match, and three that are there by some fault: of what is played, and of a twin."""
    words = {
        "finished": "what became of the luck",
        "underway": world.hide("analysis of a running match", "what the luck is now", NOBODY),
        "played_twin": world.hide("analysis of a twin", "the luck of a twin", NOBODY),
        "table": world.hide("analysis of a running live game", "luck at the table", NOBODY),
    }
    seat = {"start": 0.5, "result": 0.5, "luck": 0.0, "skill": 0.0, "accuracy": None, "given_away": 0.0, "draws": 0}
    for name, text in words.items():
        key = world.names[name]
        played = LiveGame.objects.get(slug=key) if name == "table" else Leg.objects.get(match=key, number=1)
        result = {
            "function": {"version": text, "hash": "0"},
            "redeals": 32,
            "seats": [seat, seat],
            "chances": [0.5] * (1 + played.decisions),
            **dict.fromkeys(("known", "decisions", "draws"), []),
        }
        played.analyses.create(function_version="0", state="done", result=pack(result))


def make_tournaments(world: World, versions: list[BotVersion]) -> None:
    """One that running, though a bot has failed its check, and a draft. Both are of the staff."""
    staff = world.people["staff"]
    for name, title in (("tournament", "Autumn Cup"), ("draft", "Winter Cup")):
        plan = tournaments.TournamentPlan(title=title, game="battleline", edition="standard")
        made = tournaments.create(organiser=staff, plan=plan)
        world.names[name] = made.slug
        world.hide(f"secret of the {name}", made.secret, NOBODY)
    world.hide("title of a draft", "Winter Cup", STAFF, False)
    tournament = Tournament.objects.get(slug="autumn-cup")
    tournaments.open_entries(tournament=tournament, organiser=staff)
    failing = make_bot(world.people["stranger"], "Grebe")
    for version in (*versions[:2], failing):
        enter_tournament(tournament=tournament, bot=version.bot, user=version.bot.owner)
    # Entered with fixed versions: the tournament would wait for the trial of Kingfisher's second version.
    tournament.entrants.update(state=Entrant.State.READY, updates_automatically=False)
    quoted = world.hide("what a bot said in its check", "the words of a check", OF["eva"] | STAFF, False)
    reasons = {"state_reason": literal("Crash in its check."), "state_detail": literal(quoted)}
    tournament.entrants.filter(version=failing).update(state="failed", **reasons)
    tournaments.close_entries(tournament=tournament, organiser=staff)
    matches = advance_tournament(tournament=tournament)
    assert matches
    for match in matches:
        hide_match(world, "tournament's", match)


def make_bot(owner: User, name: str) -> BotVersion:
    files = {"bot.py": BOT.format(comment=name, log=name).encode()}
    bot = create_bot(owner=owner, name=name, game="battleline")
    return add_version(bot=bot, files=files, state=BotVersion.State.ACCEPTED)


def make_letters(world: World) -> None:
    """Notices, and a webhook with what it was told."""
    owner = world.people["owner"]
    follow(user=owner, subject=Bot.objects.get(slug="heron"))
    preference = choose_timing(user=owner, timing=Timing.DAILY, language="en", site="https://of-the-owner.example/")
    world.names["unsubscribe_key"] = preference.unsubscribe_key
    world.hide("address for the links in digests", preference.site, OWNER | {"rival"}, is_shown=False)
    follow(user=world.people["rival"], subject=owner)
    of_rival = choose_timing(user=world.people["rival"], timing=Timing.DAILY, language="en", site=preference.site)
    world.hide("key that ends the digests of the rival", of_rival.unsubscribe_key, NOBODY)
    text = world.hide("notice", "Kingfisher was told something", OWNER)
    Notice.objects.create(user=owner, event=Event.SUSPENDED, text=text, url="/bots/kingfisher/")
    url = world.hide("address of a webhook", "https://hooks.example/a-path-that-nobody-guesses", OWNER)
    webhook = Webhook.objects.create(owner=owner, url=url, events=[Event.MATCH_FINISHED])
    world.hide("key of a webhook", webhook.key, OWNER)
    payload = {"words": world.hide("delivery", "what the webhook was told", OWNER)}
    Delivery.objects.create(webhook=webhook, event=Event.MATCH_FINISHED, payload=payload)
    world.names["webhook"] = webhook.pk


def make_tokens(world: World) -> None:
    owner, stranger = world.people["owner"], world.people["stranger"]
    osprey = Bot.objects.get(slug="osprey")
    for role, person, bot in (
        ("owner's token", owner, None),
        ("owner's token for another bot", owner, osprey),
        ("stranger's token", stranger, None),
    ):
        name = world.hide(f"name of the {role}", f"for the programs of {role}", STAFF | OF[person.username], False)
        token, text = issue_token(owner=person, name=name, bot=bot)
        world.tokens[role] = world.hide(role, text, NOBODY)
        world.hide(f"digest: {role}", token.digest, NOBODY)
        world.names.setdefault("token", token.pk)
    assert Token.objects.count() == len(world.tokens)
