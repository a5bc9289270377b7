"""Addresses of the HTML pages."""

from django.urls import path

from arena.pages import theme
from arena.pages.account import authors, following, notices, sessions, settings, tokens, waiting, webhooks
from arena.pages.bots import badge, challenges, comparisons, faults, fingerprint, manage, mistakes, pair, versions
from arena.pages.bots import crest as bot_crest
from arena.pages.bots import detail as bot
from arena.pages.bots import index as bots
from arena.pages.groups import ending as group_ending
from arena.pages.groups import joining as group_joining
from arena.pages.groups import listing as group_listing
from arena.pages.groups import members as group_members
from arena.pages.groups import signing_in as group_sign_in
from arena.pages.groups import views as groups
from arena.pages.home import front, install, metrics, queue, start, status
from arena.pages.ladders import atlas
from arena.pages.ladders import detail as ladders
from arena.pages.manual import messages as manual_messages
from arena.pages.manual import views as manual
from arena.pages.matches import analysis, learning, leg_comparison, transcript, viewer
from arena.pages.matches import detail as match
from arena.pages.matches import index as matches
from arena.pages.play import analyses, live, replays
from arena.pages.play import choosing as play
from arena.pages.rules import book as rules
from arena.pages.rules import formations
from arena.pages.rules import options as rule_options
from arena.pages.tournaments import certificate, entering, export, organising, printing, projector, rounds
from arena.pages.tournaments import detail as tournament
from arena.pages.tournaments import index as tournaments
from arena.pages.tournaments.archive.download import archive_zip
from arena.pages.watch import feed, live_showing, stories
from arena.pages.watch import views as watch

urlpatterns = [
    path("", front.show_front_page, name="home"),
    path("watch/", watch.show_watch, name="watch"),
    path("today/", stories.show_stories, name="today"),
    path("today/atom.xml", feed.StoriesFeed(), name="stories_feed"),
    path("today/<str:iso_day>/", stories.show_stories, name="stories_of_day"),
    path("embed/matches/<int:pk>/", watch.embed_match, name="embed"),
    path("start/", start.show_first_steps, name="start"),
    path("start/protocol.md", start.download_protocol, name="protocol"),
    path("start/<slug:language>.zip", start.download_starter, name="starter"),
    path("install/", install.show_installation, name="install"),
    path("install/<str:name>", install.download_wheel, name="wheel"),
    path("health/", front.report_health, name="health"),
    path("ready/", front.report_readiness, name="ready"),
    path("metrics", metrics.report_metrics, name="metrics"),
    path("theme/", theme.choose_theme, name="theme"),
    path("language/", theme.choose_language, name="set_language"),
    path("ladders/", ladders.show_ladders, name="ladders"),
    path("ladders/<slug:game>/<slug:edition>/", ladders.show_current_standings, name="ladder"),
    path("ladders/<slug:game>/<slug:edition>/how/", ladders.explain_ratings, name="how"),
    path("ladders/<slug:game>/<slug:edition>/seasons/<int:number>/", ladders.show_season_standings, name="season"),
    path("ladders/<slug:game>/<slug:edition>/atlas/", atlas.show_atlas, name="atlas"),
    path(
        "ladders/<slug:game>/<slug:edition>/seasons/<int:number>/atlas/", atlas.show_season_atlas, name="season_atlas"
    ),
    path(
        "ladders/<slug:game>/<slug:edition>/seasons/<int:number>/atlas/matches/",
        atlas.show_atlas_matches,
        name="atlas_matches",
    ),
    path("docs/", manual.show_contents, name="manual"),
    path("docs/messages/<slug:game>/examples.jsonl", manual_messages.send_examples, name="message_examples"),
    path("docs/messages/<slug:game>/<slug:message>.json", manual_messages.send_schema, name="message_schema"),
    path("docs/pictures/<slug:name>/<slug:theme>.png", manual.send_picture, name="manual_picture"),
    path("docs/<path:name>/", manual.show_manual_page, name="manual_page"),
    path("rules/", rules.show_rules_index, name="rules_index"),
    path("rules/battalion/formations/", formations.index, name="formations"),
    path("rules/battalion/formations/<int:pk>/name/", formations.name, name="name_formation"),
    path("rules/<slug:game>/options/", rule_options.page, name="rule_options"),
    path("rules/<slug:game>/<slug:edition>/", rules.show_rules, name="rules"),
    path("matches/", matches.index, name="matches"),
    path("matches/<int:pk>/", match.detail, name="match"),
    path("matches/<int:pk>/legs/<int:number>/record.json", match.record, name="record"),
    path("matches/<int:pk>/legs/<int:number>/frames.json", match.frames, name="frames"),
    path("matches/<int:pk>/legs/<int:number>/live.json", live_showing.send_live_frames, name="live_frames"),
    path("matches/<int:pk>/legs/<int:number>/analysis/", analysis.show_progress, name="analysis"),
    path("matches/<int:pk>/legs/<int:number>/analysis.json", analysis.download, name="analysis_file"),
    path("matches/<int:pk>/legs/<int:number>/learn/", learning.page, name="learn"),
    path("matches/<int:pk>/records.zip", match.records, name="records"),
    path("matches/<int:pk>/text/", transcript.match_text, name="match_text"),
    path("matches/<int:pk>/sides/", leg_comparison.page, name="sides"),
    path("matches/<int:pk>/turn/<int:turn>.png", match.preview_png, name="preview_png"),
    path("matches/<int:pk>/turn/<int:turn>.svg", match.preview_image, name="preview_image"),
    path("matches/<int:pk>/turn/<int:turn>/asked.json", match.dialogue, name="dialogue"),
    path("viewer/", viewer.viewer, name="viewer"),
    path("play/", play.choose, name="play"),
    path("play/keep/", play.keep, name="keep_guest_games"),
    path("play/seats/<str:link>/", play.join, name="live_game_seat"),
    path("play/<str:slug>/", live.show_table, name="live_game"),
    path("play/<str:slug>/step/", live.take, name="live_game_step"),
    path("play/<str:slug>/undo/", live.undo, name="live_game_undo"),
    path("play/<str:slug>/hint/", live.ask_hint, name="live_game_hint"),
    path("play/<str:slug>/leave/", live.leave, name="live_game_leave"),
    path("play/<str:slug>/swap/", live.swap, name="live_game_swap"),
    path("play/<str:slug>/next/", live.play_next, name="live_game_next"),
    path("play/<str:slug>/replay/", replays.show_replay, name="live_game_replay"),
    path("play/<str:slug>/analysis/", analyses.show_progress, name="live_game_analysis"),
    path("play/<str:slug>/analysis.json", analyses.download, name="live_game_analysis_file"),
    path("play/<str:slug>/learn/", analyses.learn, name="live_game_learn"),
    path("play/<str:slug>/record.json", replays.send_record, name="live_game_record"),
    path("authors/<str:name>/", authors.show_author, name="author"),
    path("settings/", settings.show_settings, name="settings"),
    path("sessions/", sessions.show_sessions, name="sessions"),
    path("sessions/end-others/", sessions.end_others, name="end_other_sessions"),
    path("sessions/<int:pk>/end/", sessions.end_one, name="end_session"),
    path("bots/", bots.index, name="bots"),
    path("bots/new/", versions.new_bot, name="new_bot"),
    path("bots/<slug:slug>/", bot.detail, name="bot"),
    path("bots/<slug:slug>/manage/", manage.show_manage, name="manage_bot"),
    path("bots/<slug:slug>/crest/", bot_crest.show_crest, name="crest"),
    path("bots/<slug:slug>/crest/automatic/", bot_crest.use_automatic_crest, name="automatic_crest"),
    path("bots/<slug:slug>/publish/", manage.publish, name="publish_bot"),
    path("bots/<slug:slug>/retire/", manage.retire, name="retire_bot"),
    path("bots/<slug:slug>/return/", manage.let_play_again, name="return_bot"),
    path("bots/<slug:slug>/delete/", manage.delete, name="delete_bot"),
    path("bots/<slug:slug>/staff/", manage.show_staff_acts, name="staff_acts"),
    path("bots/<slug:slug>/badge.svg", badge.send_badge, name="badge"),
    path("bots/<slug:slug>/faults/", faults.index, name="faults"),
    path("bots/<slug:slug>/fingerprint/", fingerprint.show_fingerprint, name="fingerprint"),
    path("bots/<slug:slug>/mistakes/", mistakes.page, name="mistakes"),
    path("bots/<slug:slug>/against/<slug:other>/", pair.detail, name="pair"),
    path("bots/<slug:slug>/offer/", bot.offer_bot, name="offer_bot"),
    path("bots/<slug:slug>/pause/", bot.pause_bot, name="pause_bot"),
    path("bots/<slug:slug>/resume/", bot.resume_bot, name="resume_bot"),
    path("bots/<slug:slug>/upload/", versions.upload, name="upload"),
    path("bots/<slug:slug>/v/<int:number>/", versions.detail, name="version"),
    path("bots/<slug:slug>/v/<int:number>/promote/", versions.promote_version, name="promote"),
    path("bots/<slug:slug>/v/<int:number>/source.zip", versions.source, name="source"),
    path("bots/<slug:slug>/v/<int:number>/compare/", comparisons.start, name="compare"),
    path("bots/<slug:slug>/challenge/", challenges.new, name="challenge"),
    path("comparisons/", comparisons.index, name="comparisons"),
    path("comparisons/<int:pk>/", comparisons.detail, name="comparison"),
    path("comparisons/<int:pk>/stop/", comparisons.stop, name="stop_comparison"),
    path("tournaments/", tournaments.index, name="tournaments"),
    path("tournaments/new/", organising.new, name="new_tournament"),
    path("tournaments/<slug:slug>/", tournament.detail, name="tournament"),
    path("tournaments/<slug:slug>/rounds/<int:number>/", rounds.detail, name="tournament_round"),
    path("tournaments/<slug:slug>/projector/", projector.show_projector, name="tournament_projector"),
    path("tournaments/<slug:slug>/print/", printing.page, name="tournament_print"),
    path("tournaments/<slug:slug>/certificates/<slug:bot>/", certificate.page, name="tournament_certificate"),
    path("tournaments/<slug:slug>/standings.csv", export.standings_csv, name="tournament_csv"),
    path("tournaments/<slug:slug>/tournament.json", export.tournament_json, name="tournament_json"),
    path("tournaments/<slug:slug>/archive.zip", archive_zip, name="tournament_archive"),
    path("tournaments/<slug:slug>/edit/", organising.edit, name="edit_tournament"),
    path("tournaments/<slug:slug>/organise/", organising.desk, name="organise_tournament"),
    path("tournaments/<slug:slug>/organise/enter/", organising.enter_bot, name="organise_enter"),
    path("tournaments/<slug:slug>/organise/code/", organising.renew_code, name="renew_entry_code"),
    path("tournaments/<slug:slug>/organise/publish/", organising.publish, name="publish_tournament"),
    path("tournaments/<slug:slug>/entrants/<int:pk>/approve/", organising.approve, name="approve_entrant"),
    path("tournaments/<slug:slug>/enter/code/", entering.type_code, name="type_entry_code"),
    path("tournaments/<slug:slug>/organise/seeds/", organising.set_seeds, name="organise_seeds"),
    path("tournaments/<slug:slug>/organise/seeds/from/", organising.take_seeds, name="organise_take_seeds"),
    path("tournaments/<slug:slug>/open/", organising.open_entries, name="open_tournament"),
    path("tournaments/<slug:slug>/start/", organising.close_entries, name="start_tournament"),
    path("tournaments/<slug:slug>/pause/", organising.pause, name="pause_tournament"),
    path("tournaments/<slug:slug>/resume/", organising.resume, name="resume_tournament"),
    path("tournaments/<slug:slug>/cancel/", organising.cancel, name="cancel_tournament"),
    path("tournaments/<slug:slug>/delete/", organising.delete, name="delete_tournament"),
    path("tournaments/<slug:slug>/rounds/<int:number>/rerun/", organising.replay, name="replay_round"),
    path("tournaments/<slug:slug>/enter/", entering.enter_own, name="enter_tournament"),
    path("tournaments/<slug:slug>/entrants/<int:pk>/withdraw/", entering.withdraw_one, name="withdraw_entrant"),
    path("tournaments/<slug:slug>/entrants/<int:pk>/disqualify/", organising.disqualify, name="disqualify_entrant"),
    path("groups/", groups.index, name="groups"),
    path("groups/new/", groups.new, name="new_group"),
    path("groups/join/", group_joining.join, name="join_group"),
    path("groups/sign-in/<str:token>/", group_sign_in.sign_in_once, name="group_sign_in"),
    path("groups/invitations/<int:pk>/accept/", group_joining.accept, name="accept_group_invitation"),
    path("groups/invitations/<int:pk>/refuse/", group_joining.refuse, name="refuse_group_invitation"),
    path("groups/<slug:slug>/", groups.detail, name="group"),
    path("groups/<slug:slug>/edit/", groups.edit, name="edit_group"),
    path("groups/<slug:slug>/code/", groups.renew_code, name="renew_group_code"),
    path("groups/<slug:slug>/code/end/", groups.end_code, name="end_group_code"),
    path("groups/<slug:slug>/leave/", group_joining.leave, name="leave_group"),
    path("groups/<slug:slug>/list/", group_listing.add_people, name="group_list"),
    path("groups/<slug:slug>/list/links/", group_listing.renew_links, name="renew_group_links"),
    path("groups/<slug:slug>/end/", group_ending.end_group, name="end_group"),
    path("groups/<slug:slug>/export.zip", group_ending.export, name="export_group"),
    path("groups/<slug:slug>/members/", group_members.index, name="group_members"),
    path("groups/<slug:slug>/members/<int:pk>/name/", group_members.rename, name="rename_group_member"),
    path("groups/<slug:slug>/members/<int:pk>/role/", group_members.change_role, name="change_group_role"),
    path("groups/<slug:slug>/members/<int:pk>/remove/", group_members.remove, name="remove_group_member"),
    path("accounts/waiting/", waiting.show_waiting, name="account_waiting"),
    path("notices/", notices.show_notices, name="notices"),
    path("following/", following.show_following, name="following"),
    path("following/bots/<slug:slug>/", following.follow_bot, name="follow_bot"),
    path("following/authors/<str:name>/", following.follow_author, name="follow_author"),
    path("following/ladders/<slug:game>/<slug:edition>/", following.follow_ladder, name="follow_ladder"),
    path("following/stop/<str:key>/", following.stop_digests, name="stop_digests"),
    path("webhooks/", webhooks.show_webhooks, name="webhooks"),
    path("webhooks/<int:pk>/", webhooks.show_webhook, name="webhook"),
    path("webhooks/<int:pk>/test/", webhooks.send_test_to_webhook, name="webhook_test"),
    path("webhooks/<int:pk>/enable/", webhooks.enable_own_webhook, name="webhook_enable"),
    path("webhooks/<int:pk>/delete/", webhooks.delete_own_webhook, name="webhook_delete"),
    path("tokens/", tokens.show_tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke_own_token, name="revoke_token"),
    path("queue/", queue.show_queue, name="queue"),
    path("status/", status.show_status, name="status"),
]
