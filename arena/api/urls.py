"""Addresses of the API: which method of an address leads to which operation.

They are a table, since routers know neither their published names nor keys of two parts, as those of ladders.
"""

from django.urls import URLPattern, URLResolver, include, path, re_path

from arena.api.account import (
    Arena,
    Calendars,
    FollowAuthor,
    FollowBot,
    FollowedSubjects,
    FollowLadder,
    FollowOpenLadder,
    Lessons,
    Me,
    Notices,
    Tokens,
    Webhooks,
)
from arena.api.bots import Bots, RemoteBots, Teams
from arena.api.frame import ElsewhereServed, Resource, UnknownAddress
from arena.api.groups import GroupAnnouncements, Groups, Invitations, Marks, Members, Sources
from arena.api.ladders import Formations, GroupLadders, Ladders, OpenLadders
from arena.api.live_games import Analyses, LiveGames, OwnLiveGames
from arena.api.matches import Matches, RecordExport
from arena.api.puzzles import Puzzles
from arena.api.schema import Schema, show_api_docs
from arena.api.tournament_entrants import Entrants
from arena.api.tournament_rounds import Decisions, Organisers, Results, TournamentAnnouncements
from arena.api.tournaments import Tournaments
from arena.api.versions import Challenges, Comparisons, Practice, RemoteVersions, Versions


def route(address: str, name: str, resource: type[Resource], **actions: str) -> URLPattern:
    """Return the route of an address, with the operation of each method."""
    found: URLPattern = path(address, resource.as_view(actions), name=f"api_{name}")
    return found


ACCOUNT: list[URLPattern] = [
    route("me/", "me", Me, get="show"),
    route("tokens/", "tokens", Tokens, get="list", post="create"),
    route("tokens/<int:pk>/", "token", Tokens, delete="revoke"),
    route("calendar/", "calendar", Calendars, get="show"),
    route("calendar/renew/", "calendar_renew", Calendars, post="renew"),
    route("notices/", "notices", Notices, get="list"),
    route("notices/mark-read/", "mark_notices_read", Notices, post="mark_read"),
    route("following/", "following", FollowedSubjects, get="list"),
    *(
        route(f"following/{address}/", f"follow_{kind}", resource, get="show", put="follow", delete="unfollow")
        for address, kind, resource in (
            ("bots/<slug:slug>", "bot", FollowBot),
            ("authors/<str:name>", "author", FollowAuthor),
            ("ladders/<slug:game>/<slug:edition>", "ladder", FollowLadder),
            ("ladders/<slug:game>/<slug:edition>/<slug:clock>", "open_ladder", FollowOpenLadder),
        )
    ),
    route("webhooks/", "webhooks", Webhooks, get="list", post="create"),
    route("webhooks/<int:pk>/", "webhook", Webhooks, get="show", delete="delete_with_deliveries"),
    route("webhooks/<int:pk>/deliveries/", "deliveries", Webhooks, get="list_deliveries"),
    route("webhooks/<int:pk>/test/", "webhook_test", Webhooks, post="test"),
    route("webhooks/<int:pk>/enable/", "webhook_enable", Webhooks, post="enable"),
]
BOT: list[URLPattern] = [
    route("", "bot", Bots, get="show", patch="change", delete="delete_unplayed"),
    route("pause/", "pause", Bots, post="pause"),
    route("resume/", "resume", Bots, post="resume"),
    route("retire/", "retire", Bots, post="retire"),
    route("return/", "return", Bots, post="return_to_play"),
    route("ratings/", "ratings", Bots, get="list_ratings"),
    route("analyses/", "bot_analyses", Analyses, post="request_of_losses"),
    route("head-to-head/", "head_to_head", Bots, get="list_head_to_head"),
    route("team/", "team", Teams, get="show", post="invite"),
    route("team/<str:name>/", "team_person", Teams, delete="remove"),
    route("lead/", "team_lead", Teams, post="hand_over"),
    route("invitation/", "team_invitation", Teams, post="accept", delete="refuse"),
    route("versions/", "versions", Versions, get="list", post="upload"),
    route("versions/remote/", "remote_versions", RemoteVersions, post="declare"),
    route("versions/<int:number>/", "version", Versions, get="show"),
    route("versions/<int:number>/trial/", "trial", Versions, get="show_trial"),
    route("versions/<int:number>/log/", "log", Versions, get="show_log"),
    route("versions/<int:number>/source/", "source", Versions, get="download"),
    route("versions/<int:number>/promote/", "promote", Versions, post="promote"),
]
LADDER: list[URLPattern] = [
    route("", "ladder", Ladders, get="show"),
    route("standings/", "standings", Ladders, get="list_standings"),
    route("seasons/", "seasons", Ladders, get="list_seasons"),
    route("seasons/<int:number>/", "season", Ladders, get="show_season"),
    route("seasons/<int:number>/standings/", "season_standings", Ladders, get="list_season_standings"),
    route("seasons/<int:number>/atlas/", "atlas", Ladders, get="show_atlas"),
    route("seasons/<int:number>/deals/", "deals", Ladders, get="list_deals"),
]
OPEN_LADDER: list[URLPattern] = [
    route("", "open_ladder", OpenLadders, get="show"),
    route("standings/", "open_standings", OpenLadders, get="list_standings"),
    route("bots/", "open_ladder_bots", OpenLadders, post="join"),
    route("bots/<slug:bot>/", "open_ladder_bot", OpenLadders, delete="leave"),
    route("seasons/", "open_seasons", OpenLadders, get="list_seasons"),
    route("seasons/<int:number>/", "open_season", OpenLadders, get="show_season"),
    route("seasons/<int:number>/standings/", "open_season_standings", OpenLadders, get="list_season_standings"),
    route("seasons/<int:number>/deals/", "open_deals", OpenLadders, get="list_deals"),
]
TOURNAMENT: list[URLPattern] = [
    route("", "tournament", Tournaments, get="show", patch="change"),
    route("open/", "tournament_open", Tournaments, post="open"),
    route("start/", "tournament_start", Tournaments, post="start"),
    route("trials/leave-out/", "tournament_trials", Tournaments, post="leave_out_trials"),
    route("pause/", "tournament_pause", Tournaments, post="pause"),
    route("resume/", "tournament_resume", Tournaments, post="resume"),
    route("cancel/", "tournament_cancel", Tournaments, post="cancel"),
    route("reveal/", "tournament_reveal", Tournaments, post="reveal"),
    route("seeds/", "tournament_seeds", Tournaments, post="order_seeds"),
    route("archive/", "tournament_archive", Tournaments, get="link_archive"),
    route("entrants/", "entrants", Entrants, get="list", post="enter"),
    route("invitations/", "invitations", Entrants, get="list_invitations"),
    route("practice/", "tournament_practice", Practice, get="list", post="play"),
    route("approve/", "approve", Entrants, post="approve"),
    route("withdraw/", "withdraw", Entrants, post="withdraw"),
    route("disqualify/", "disqualify", Entrants, post="disqualify"),
    route("faults/", "tournament_faults", Entrants, get="list_faults"),
    route("rounds/", "rounds", Results, get="list_rounds"),
    route("rounds/<int:number>/replay/", "replay", Tournaments, post="replay_rounds"),
    route("rounds/<int:number>/boards/<int:board>/decide/", "decide", Decisions, post="decide"),
    route("rounds/<int:number>/boards/<int:board>/undo/", "undo", Decisions, post="undo"),
    route("standings/", "tournament_standings", Results, get="list_standings"),
    route("crosstable/", "crosstable", Results, get="list_crosstable"),
    route("deals/", "tournament_deals", Results, get="show_deals"),
    route("deals/matches/", "tournament_dealt", Results, get="list_dealt_matches"),
    route("decisions/", "decisions", Decisions, get="list"),
    route("rehearse/", "rehearse", Decisions, post="rehearse"),
    route("rehearse/end/", "end_rehearsal", Decisions, post="end_rehearsal"),
    route("organisers/", "organisers", Organisers, get="list", post="add"),
    route("organisers/remove/", "remove_organiser", Organisers, post="remove"),
    route("announcements/", "tournament_announcements", TournamentAnnouncements, get="list", post="announce"),
    route("announcements/<int:pk>/", "tournament_announcement", TournamentAnnouncements, delete="erase"),
]
LIVE_GAME: list[URLPattern] = [
    route("", "live_game", LiveGames, get="show"),
    route("actions/", "live_game_actions", LiveGames, post="act"),
    route("undo/", "live_game_undo", LiveGames, post="undo"),
    route("resign/", "live_game_resign", LiveGames, post="resign"),
    route("swap/", "live_game_swap", LiveGames, post="swap"),
    route("rematch/", "live_game_rematch", LiveGames, post="rematch"),
    route("record/", "live_game_record", LiveGames, get="show_record"),
    route("hint/", "live_game_hint", OwnLiveGames, get="show_hint", post="ask_for_hint"),
    route("analysis/", "live_game_analysis", Analyses, get="show_of_live_game", post="request_of_live_game"),
]
GROUP_LADDER: list[URLPattern] = [
    route("", "group_ladder", GroupLadders, get="show"),
    route("pause/", "pause_group_ladder", GroupLadders, post="pause"),
    route("resume/", "resume_group_ladder", GroupLadders, post="resume"),
    route("end/", "end_group_season", GroupLadders, post="end"),
    route("bots/", "group_ladder_bots", GroupLadders, get="list_standings", post="enter"),
    route("bots/<slug:bot>/", "group_ladder_bot", GroupLadders, delete="leave"),
    route("seasons/", "group_seasons", GroupLadders, get="list_seasons"),
    route("seasons/<int:number>/", "group_season", GroupLadders, get="show_season"),
    route("seasons/<int:number>/standings/", "group_season_standings", GroupLadders, get="list_season_standings"),
    route("seasons/<int:number>/deals/", "group_deals", GroupLadders, get="list_deals"),
]
GROUP: list[URLPattern | URLResolver] = [
    route("", "group", Groups, get="show", patch="change", delete="erase"),
    route("export/", "group_export", Groups, get="export"),
    route("leave/", "group_leave", Groups, post="leave"),
    route("code/", "group_code", Groups, post="renew_code", delete="end_code"),
    route("list/", "group_list", Members, post="let_in"),
    route("list/links/", "group_links", Members, post="renew_links"),
    route("invitations/", "invitations_to_group", Invitations, get="list_to_group"),
    route("reading/", "group_reading", Sources, post="accept"),
    route("sources/", "group_sources", Sources, get="list"),
    route("sources/zip/", "group_sources_zip", Sources, get="download"),
    route("sources/<int:pk>/", "group_source", Sources, get="download_one"),
    route("members/", "group_members", Members, get="list"),
    route("members/<int:pk>/", "group_member", Members, patch="change", delete="remove"),
    route("members/<int:pk>/link/", "group_member_link", Members, post="renew_link"),
    route("marks/", "group_marks", Marks, get="show"),
    route("announcements/", "group_announcements", GroupAnnouncements, get="list", post="announce"),
    route("announcements/<int:pk>/", "group_announcement", GroupAnnouncements, delete="erase"),
    route("ladders/", "group_ladders", GroupLadders, get="list", post="open"),
    path("ladders/<slug:game>/<slug:edition>/", include(GROUP_LADDER)),
]
LEG = "matches/<int:pk>/legs/<int:number>/"
urlpatterns: list[URLPattern | URLResolver] = [
    route("arena/", "arena", Arena, get="show"),
    route("languages/", "languages", Arena, get="list_languages"),
    route("queue/", "queue", Arena, get="show_queue"),
    route("lesson/", "lesson", Lessons, get="show", post="start"),
    route("lesson/end/", "lesson_end", Lessons, post="end"),
    route("schema/", "schema", Schema, get="show"),
    path("docs/", show_api_docs, name="api_docs"),
    *ACCOUNT,
    route("bots/", "bots", Bots, get="list", post="create"),
    path("bots/<slug:slug>/", include(BOT)),
    route("remote-bots/", "remote_bots", RemoteBots, get="list", post="create"),
    route("matches/", "matches", Matches, get="list"),
    route("matches/<int:pk>/", "match", Matches, get="show"),
    route(f"{LEG}record/", "record", Matches, get="show_record"),
    route(f"{LEG}logs/", "logs", Matches, get="list_logs"),
    route(f"{LEG}analysis/", "analysis", Analyses, get="show_of_leg", post="request_of_leg"),
    route("records/export/", "record_export", RecordExport, get="export"),
    route("ladders/", "ladders", Ladders, get="list"),
    route("ladders/<slug:game>/", "overall", Ladders, get="show_overall"),
    path("ladders/<slug:game>/<slug:edition>/", include(LADDER)),
    path("ladders/<slug:game>/<slug:edition>/<slug:clock>/", include(OPEN_LADDER)),
    route("formations/", "formations", Formations, get="list"),
    route("puzzles/", "puzzles", Puzzles, get="list"),
    route("puzzles/solver/", "puzzle_solver", Puzzles, get="show_solver"),
    route("puzzles/<str:kind>/<str:day>/", "puzzle", Puzzles, get="show"),
    route("puzzles/<str:kind>/<str:day>/answer/", "puzzle_answer", Puzzles, post="answer"),
    route("challenges/", "challenges", Challenges, get="list", post="create"),
    route("comparisons/", "comparisons", Comparisons, get="list", post="start"),
    route("comparisons/<int:pk>/", "comparison", Comparisons, get="show"),
    route("comparisons/<int:pk>/stop/", "comparison_stop", Comparisons, post="stop"),
    route("tournaments/", "tournaments", Tournaments, get="list", post="create"),
    path("tournaments/<slug:slug>/", include(TOURNAMENT)),
    route("live-games/", "live_games", OwnLiveGames, get="list", post="create"),
    route("live-games/opponents/", "live_game_opponents", OwnLiveGames, get="list_opponents"),
    route("live-games/seats/<str:link>/", "live_game_seat", LiveGames, post="join"),
    path("live-games/<str:slug>/", include(LIVE_GAME)),
    route("groups/", "groups", Groups, get="list", post="create"),
    route("groups/join/", "group_join", Groups, post="join"),
    route("groups/invitations/", "group_invitations", Invitations, get="list_own"),
    route("groups/invitations/<int:pk>/accept/", "group_invitation_accept", Invitations, post="accept"),
    route("groups/invitations/<int:pk>/refuse/", "group_invitation_refuse", Invitations, post="refuse"),
    path("groups/<slug:slug>/", include(GROUP)),
    re_path(r"^remote/", ElsewhereServed.as_view({"get": "refuse"})),
    re_path(r"", UnknownAddress.as_view({"get": "refuse"})),
]
