"""Every address of the site, and for whom it is. A new one fails the test until it stands here."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.contrib import admin
from django.urls import URLPattern, URLResolver, get_resolver

from tests.arena.privacy.api_routes import API
from tests.arena.privacy.who import A, H, K, N, P, S, Who


@dataclass(frozen=True, slots=True)
class Address:
    path: str
    who: Who = Who.ALL
    is_further_row: bool = False
    """Whether it is a row in the admin that isn't the first of its model."""


ROUTES: dict[str, list[tuple[str, Who]]] = {
    "": [("/", A)],
    "watch/": [("/watch/", A), ("/watch/?match={finished}", A), ("/watch/?match={played_twin}", N)],
    "watch/recorded/<slug:slug>/": [("/watch/recorded/none/", N)],
    "watch/recorded/<slug:slug>/frames.json": [("/watch/recorded/none/frames.json", N)],
    "watch/recorded/<slug:slug>/record.json": [("/watch/recorded/none/record.json", N)],
    "watch/recorded/<slug:slug>/analysis.json": [("/watch/recorded/none/analysis.json", N)],
    "today/": [("/today/", A)],
    "today/atom.xml": [("/today/atom.xml", A)],
    "today/<str:iso_day>/": [("/today/2001-01-01/", N)],
    "embed/matches/<int:pk>/": [("/embed/matches/{finished}/", A), ("/embed/matches/{played_twin}/", N)],
    "learn/": [("/learn/", A)],
    "learn/<slug:game>/": [("/learn/battleline/", A), ("/learn/battalion/", A), ("/learn/none/", N)],
    "learn/<slug:game>/<int:step>/<int:made>/": [
        ("/learn/battleline/1/0/", A),
        ("/learn/battleline/1/0/?action=play+R2+2", A),
        ("/learn/battalion/3/1/", A),
        ("/learn/battleline/4/0/", N),
        ("/learn/battleline/1/2/", N),
    ],
    "start/": [("/start/", A), ("/start/?language=cpp", A)],
    "start/protocol.md": [("/start/protocol.md", A)],
    "start/<slug:language>.zip": [("/start/python.zip", A)],
    "install/": [("/install/", A)],
    "install/<str:name>": [("/install/none.whl", N)],
    "language/": [("/language/", A)],
    "health/": [("/health/", A)],
    "ready/": [("/ready/", A)],
    "metrics": [("/metrics", A)],
    "robots.txt": [("/robots.txt", A)],
    "sitemap.xml": [("/sitemap.xml", A)],
    "sitemap-<slug:section>.xml": [
        ("/sitemap-bots.xml", A),
        ("/sitemap-matches.xml", A),
        ("/sitemap-tournaments.xml", A),
        ("/sitemap-none.xml", N),
    ],
    ".well-known/security.txt": [("/.well-known/security.txt", N)],
    "favicon.ico": [("/favicon.ico", A)],
    "theme/": [("/theme/", A)],
    "queue/": [("/queue/", A)],
    "calendar/<str:key>.ics": [("/calendar/none.ics", N)],
    "settings/calendar/": [("/settings/calendar/", K), ("/settings/calendar/?group=none", N)],
    "tournaments/<slug:slug>/calendar.ics": [
        ("/tournaments/{tournament}/calendar.ics", A),
        ("/tournaments/{draft}/calendar.ics", N),
    ],
    "queue/lesson/": [("/queue/lesson/", S)],
    "status/": [("/status/", A)],
    "docs/": [("/docs/", A), ("/docs/?q=sandbox", A)],
    "docs/messages/<slug:game>/examples.jsonl": [("/docs/messages/battleline/examples.jsonl", A)],
    "docs/messages/<slug:game>/<slug:message>.json": [("/docs/messages/battleline/turn.json", A)],
    "docs/pictures/<slug:name>/<slug:theme>.png": [("/docs/pictures/replay/dark.png", A)],
    "docs/<path:name>/": [("/docs/operating/", A)],
    "rules/": [("/rules/", A)],
    "rules/battalion/formations/": [
        ("/rules/battalion/formations/", A),
        ("/rules/battalion/formations/?show=unnamed", A),
    ],
    "rules/battalion/formations/<int:pk>/name/": [("/rules/battalion/formations/{formation}/name/", S)],
    "rules/<slug:game>/options/": [("/rules/battleline/options/", A), ("/rules/battalion/options/", A)],
    "rules/<slug:game>/<slug:edition>/": [("/rules/battleline/standard/", A)],
    "ladders/": [("/ladders/", A)],
    "ladders/<slug:game>/": [("/ladders/battleline/", A)],
    "ladders/<slug:game>/<slug:edition>/": [("/ladders/battleline/standard/", A)],
    "ladders/<slug:game>/<slug:edition>/seasons/<int:number>/": [
        ("/ladders/battleline/standard/seasons/1/", A),
    ],
    "ladders/<slug:game>/<slug:edition>/how/": [("/ladders/battleline/standard/how/?a=kingfisher&b=heron", A)],
    "ladders/<slug:game>/<slug:edition>/<clock:clock>/": [
        ("/ladders/battleline/standard/open/", A),
        ("/ladders/battleline/none/open/", N),
    ],
    "ladders/<slug:game>/<slug:edition>/<clock:clock>/seasons/<int:number>/": [
        ("/ladders/battleline/standard/open/seasons/9/", N)
    ],
    "ladders/<slug:game>/<slug:edition>/<clock:clock>/how/": [("/ladders/battleline/standard/slow/how/", N)],
    "ladders/<slug:game>/<slug:edition>/<clock:clock>/bots/": [("/ladders/battleline/standard/open/bots/", K)],
    "ladders/<slug:game>/<slug:edition>/atlas/": [("/ladders/battleline/standard/atlas/", A)],
    "ladders/<slug:game>/<slug:edition>/seasons/<int:number>/atlas/": [
        ("/ladders/battleline/standard/seasons/1/atlas/", A),
        ("/ladders/battleline/standard/seasons/2/atlas/", A),
    ],
    "ladders/<slug:game>/<slug:edition>/seasons/<int:number>/atlas/matches/": [
        ("/ladders/battleline/standard/seasons/2/atlas/matches/?chart=seats&row=0&column=2", A),
        ("/ladders/battleline/standard/seasons/2/atlas/matches/?chart=seats&row=0&column=2&bot=heron", A),
        ("/ladders/battleline/standard/seasons/2/atlas/matches/", N),
    ],
    "authors/<str:name>/": [("/authors/ana/", A)],
    "settings/": [("/settings/", A)],
    "settings/export/": [("/settings/export/", H)],
    "settings/delete/": [("/settings/delete/", H)],
    "settings/time-zone/": [("/settings/time-zone/", H)],
    "sessions/": [("/sessions/", H)],
    "sessions/end-others/": [("/sessions/end-others/", H)],
    "sessions/<int:pk>/end/": [("/sessions/{session}/end/", P)],
    "matches/": [
        ("/matches/", A),
        ("/matches/?state=running", A),
        ("/matches/?bot=kingfisher&result=won&fault=any&rated=no", A),
    ],
    "matches/<int:pk>/": [
        ("/matches/{finished}/", A),
        ("/matches/{finished}/?view=1&turn=9", A),
        ("/matches/{underway}/", A),
        ("/matches/{underway}/?view=0&turn=9&leg=2", A),
        ("/matches/{running}/", A),
        ("/matches/{queued}/", A),
        ("/matches/{trial}/", A),
        ("/matches/{played_twin}/", A),
        ("/matches/{played_twin}/?turn=9", A),
    ],
    "matches/<int:pk>/sides/": [
        ("/matches/{finished}/sides/", A),
        ("/matches/{finished}/sides/?left=2&right=1", A),
        ("/matches/{underway}/sides/", N),
        ("/matches/{running}/sides/", N),
        ("/matches/{queued}/sides/", N),
        ("/matches/{played_twin}/sides/", N),
    ],
    "matches/<int:pk>/legs/<int:number>/record.json": [
        ("/matches/{played_twin}/legs/1/record.json", N),
        ("/matches/{finished}/legs/1/record.json", A),
        ("/matches/{underway}/legs/1/record.json", N),
        ("/matches/{queued}/legs/1/record.json", N),
    ],
    "matches/<int:pk>/legs/<int:number>/live.json": [
        ("/matches/{played_twin}/legs/1/live.json", N),
        ("/matches/{finished}/legs/1/live.json", A),
        ("/matches/{queued}/legs/1/live.json", N),
    ],
    "matches/<int:pk>/legs/<int:number>/frames.json": [
        ("/matches/{played_twin}/legs/1/frames.json", N),
        ("/matches/{finished}/legs/1/frames.json", A),
        ("/matches/{underway}/legs/1/frames.json?view=0", N),
        ("/matches/{queued}/legs/1/frames.json", N),
    ],
    "matches/<int:pk>/legs/<int:number>/analysis/": [
        ("/matches/{finished}/legs/1/analysis/", A),
        ("/matches/{finished}/legs/2/analysis/", A),
        ("/matches/{underway}/legs/1/analysis/", N),
        ("/matches/{queued}/legs/1/analysis/", N),
        ("/matches/{played_twin}/legs/1/analysis/", N),
    ],
    "matches/<int:pk>/legs/<int:number>/analysis.json": [
        ("/matches/{finished}/legs/1/analysis.json", A),
        ("/matches/{underway}/legs/1/analysis.json", N),
        ("/matches/{queued}/legs/1/analysis.json", N),
        ("/matches/{played_twin}/legs/1/analysis.json", N),
    ],
    "matches/<int:pk>/legs/<int:number>/learn/": [
        ("/matches/{finished}/legs/1/learn/", A),
        ("/matches/{underway}/legs/1/learn/", N),
        ("/matches/{queued}/legs/1/learn/", N),
        ("/matches/{played_twin}/legs/1/learn/", N),
    ],
    "matches/<int:pk>/records.zip": [
        ("/matches/{played_twin}/records.zip", N),
        ("/matches/{finished}/records.zip", A),
        ("/matches/{underway}/records.zip", N),
        ("/matches/{queued}/records.zip", N),
    ],
    "matches/<int:pk>/text/": [
        ("/matches/{played_twin}/text/", N),
        ("/matches/{finished}/text/", A),
        ("/matches/{finished}/text/?format=txt", A),
        ("/matches/{underway}/text/", N),
        ("/matches/{queued}/text/?format=txt", N),
    ],
    "matches/<int:pk>/turn/<int:turn>.png": [
        ("/matches/{played_twin}/turn/1.png", N),
        ("/matches/{finished}/turn/1.png", A),
    ],
    "matches/<int:pk>/turn/<int:turn>.svg": [
        ("/matches/{played_twin}/turn/1.svg", N),
        ("/matches/{finished}/turn/1.svg", A),
        ("/matches/{underway}/turn/1.svg?view=0", N),
        ("/matches/{queued}/turn/1.svg", N),
    ],
    "matches/<int:pk>/turn/<int:turn>/asked.json": [
        ("/matches/{played_twin}/turn/1/asked.json", N),
        ("/matches/{finished}/turn/1/asked.json", A),
        ("/matches/{underway}/turn/1/asked.json", N),
        ("/matches/{queued}/turn/1/asked.json", N),
    ],
    "viewer/": [("/viewer/", A)],
    "puzzles/": [("/puzzles/", A), ("/puzzles/?answer=no", A)],
    "puzzles/best/": [("/puzzles/best/", A)],
    "puzzles/archive/": [("/puzzles/archive/", A), ("/puzzles/archive/?kind=best", A)],
    "puzzles/<str:iso_day>/": [("/puzzles/2001-01-01/", N)],
    "puzzles/<str:iso_day>/best/": [("/puzzles/2001-01-01/best/", N)],
    "puzzles/<str:iso_day>/board.png": [("/puzzles/2001-01-01/board.png", N)],
    "puzzles/<str:iso_day>/best/board.png": [("/puzzles/2001-01-01/best/board.png", N)],
    "play/": [("/play/", A), ("/play/?game=battalion", A)],
    "play/now/": [("/play/now/", A)],
    "play/keep/": [("/play/keep/", A)],
    "play/seats/<str:link>/": [("/play/seats/none/", N)],
    "play/<str:slug>/": [("/play/{table}/", A), ("/play/{seating}/", A), ("/play/{left}/", A)],
    "play/<str:slug>/step/": [("/play/{table}/step/", A)],
    "play/<str:slug>/undo/": [("/play/{table}/undo/", A)],
    "play/<str:slug>/hint/": [("/play/{table}/hint/", A)],
    "play/<str:slug>/analysis/": [("/play/{table}/analysis/", N), ("/play/{left}/analysis/", A)],
    "play/<str:slug>/analysis.json": [("/play/{table}/analysis.json", N), ("/play/{left}/analysis.json", N)],
    "play/<str:slug>/learn/": [("/play/{table}/learn/", N), ("/play/{left}/learn/", N)],
    "play/<str:slug>/leave/": [("/play/{table}/leave/", A)],
    "play/<str:slug>/swap/": [("/play/{table}/swap/", A)],
    "play/<str:slug>/next/": [("/play/{table}/next/", A)],
    "play/<str:slug>/rematch/": [("/play/{table}/rematch/", A)],
    "play/<str:slug>/stronger/": [("/play/{table}/stronger/", A)],
    "play/<str:slug>/replay/": [("/play/{table}/replay/", N), ("/play/{left}/replay/", A)],
    "play/<str:slug>/turn/<int:turn>.png": [("/play/{table}/turn/1.png", N), ("/play/{left}/turn/1.png", A)],
    "play/<str:slug>/record.json": [("/play/{table}/record.json", N), ("/play/{left}/record.json", A)],
    "bots/": [("/bots/", A), ("/bots/?mine=1", A)],
    "bots/new/": [("/bots/new/", K)],
    "bots/new/remote/": [("/bots/new/remote/", K)],
    "bots/<slug:slug>/": [("/bots/kingfisher/", A), ("/bots/heron/", A)],
    "bots/<slug:slug>/badge.svg": [("/bots/kingfisher/badge.svg", A)],
    "bots/<slug:slug>/faults/": [("/bots/kingfisher/faults/", A), ("/bots/heron/faults/", A)],
    "bots/<slug:slug>/fingerprint/": [("/bots/kingfisher/fingerprint/", A), ("/bots/heron/fingerprint/", A)],
    "bots/<slug:slug>/against/<slug:other>/": [("/bots/kingfisher/against/heron/", A)],
    "bots/<slug:slug>/upload/": [("/bots/kingfisher/upload/", P)],
    "bots/<slug:slug>/declare/": [("/bots/kingfisher/declare/", P)],
    "bots/<slug:slug>/v/<int:number>/": [
        ("/bots/kingfisher/v/1/", A),
        ("/bots/kingfisher/v/3/", A),
        ("/bots/kingfisher/v/4/", A),
    ],
    "bots/<slug:slug>/v/<int:number>/source.zip": [("/bots/kingfisher/v/1/source.zip", P)],
    "bots/<slug:slug>/offer/": [("/bots/kingfisher/offer/", P)],
    "bots/<slug:slug>/pause/": [("/bots/kingfisher/pause/", P)],
    "bots/<slug:slug>/manage/": [("/bots/kingfisher/manage/", P)],
    "bots/<slug:slug>/crest/": [("/bots/kingfisher/crest/", P)],
    "bots/<slug:slug>/crest/automatic/": [("/bots/kingfisher/crest/automatic/", P)],
    "bots/<slug:slug>/people/": [("/bots/kingfisher/people/", P)],
    "bots/<slug:slug>/people/<int:pk>/remove/": [("/bots/kingfisher/people/0/remove/", N)],
    "bots/<slug:slug>/people/<int:pk>/lead/": [("/bots/kingfisher/people/0/lead/", N)],
    "bots/<slug:slug>/invitation/": [("/bots/kingfisher/invitation/", K)],
    "bots/<slug:slug>/publish/": [("/bots/kingfisher/publish/", P)],
    "bots/<slug:slug>/retire/": [("/bots/kingfisher/retire/", P)],
    "bots/<slug:slug>/return/": [("/bots/kingfisher/return/", P)],
    "bots/<slug:slug>/delete/": [("/bots/kingfisher/delete/", P)],
    "bots/<slug:slug>/staff/": [("/bots/kingfisher/staff/", S)],
    "bots/<slug:slug>/resume/": [("/bots/kingfisher/resume/", P)],
    "bots/<slug:slug>/mistakes/": [("/bots/kingfisher/mistakes/", P)],
    "bots/<slug:slug>/v/<int:number>/compare/": [("/bots/kingfisher/v/2/compare/", P)],
    "bots/<slug:slug>/v/<int:number>/promote/": [("/bots/kingfisher/v/2/promote/", P)],
    "bots/<slug:slug>/challenge/": [("/bots/heron/challenge/", K)],
    "comparisons/": [("/comparisons/", K)],
    "comparisons/<int:pk>/": [("/comparisons/{comparison}/", A)],
    "comparisons/<int:pk>/stop/": [("/comparisons/{comparison}/stop/", P)],
    "tournaments/": [("/tournaments/", A), ("/tournaments/?state=running", A)],
    "tournaments/<slug:slug>/": [("/tournaments/{tournament}/", A), ("/tournaments/{draft}/", S)],
    "tournaments/<slug:slug>/rounds/<int:number>/": [("/tournaments/{tournament}/rounds/1/", A)],
    "tournaments/<slug:slug>/print/": [("/tournaments/{tournament}/print/", A), ("/tournaments/{draft}/print/", S)],
    "tournaments/<slug:slug>/certificates/<slug:bot>/": [("/tournaments/{tournament}/certificates/kingfisher/", N)],
    "tournaments/<slug:slug>/standings.csv": [
        ("/tournaments/{tournament}/standings.csv", A),
        ("/tournaments/{draft}/standings.csv", S),
    ],
    "tournaments/<slug:slug>/tournament.json": [
        ("/tournaments/{tournament}/tournament.json", A),
        ("/tournaments/{draft}/tournament.json", S),
    ],
    "tournaments/<slug:slug>/archive.zip": [
        ("/tournaments/{tournament}/archive.zip", N),
        ("/tournaments/{draft}/archive.zip", N),
        ("/tournaments/{tournament}/archive.zip?key=none", N),
    ],
    "tournaments/new/": [("/tournaments/new/", K)],
    "tournaments/<slug:slug>/edit/": [("/tournaments/{tournament}/edit/", S), ("/tournaments/{draft}/edit/", S)],
    "tournaments/<slug:slug>/projector/": [
        ("/tournaments/{tournament}/projector/", A),
        ("/tournaments/{draft}/projector/", S),
    ],
    "tournaments/<slug:slug>/projector/reveal/": [("/tournaments/{tournament}/projector/reveal/", S)],
    "tournaments/<slug:slug>/organise/": [
        ("/tournaments/{tournament}/organise/", S),
        ("/tournaments/{draft}/organise/", S),
    ],
    "tournaments/<slug:slug>/organise/trials/": [("/tournaments/{tournament}/organise/trials/", S)],
    "tournaments/<slug:slug>/organise/code/": [("/tournaments/{tournament}/organise/code/", S)],
    "tournaments/<slug:slug>/organise/publish/": [("/tournaments/{tournament}/organise/publish/", S)],
    "tournaments/<slug:slug>/entrants/<int:pk>/approve/": [("/tournaments/{tournament}/entrants/1/approve/", S)],
    "tournaments/<slug:slug>/enter/code/": [
        ("/tournaments/{tournament}/enter/code/", K),
        ("/tournaments/{draft}/enter/code/", S),
    ],
    "tournaments/<slug:slug>/organise/seeds/": [("/tournaments/{tournament}/organise/seeds/", S)],
    "tournaments/<slug:slug>/organise/seeds/from/": [("/tournaments/{tournament}/organise/seeds/from/", S)],
    "tournaments/<slug:slug>/organise/enter/": [("/tournaments/{tournament}/organise/enter/", S)],
    "tournaments/<slug:slug>/open/": [("/tournaments/{draft}/open/", S)],
    "tournaments/<slug:slug>/start/": [("/tournaments/{draft}/start/", S)],
    "tournaments/<slug:slug>/pause/": [("/tournaments/{tournament}/pause/", S)],
    "tournaments/<slug:slug>/resume/": [("/tournaments/{tournament}/resume/", S)],
    "tournaments/<slug:slug>/cancel/": [("/tournaments/{tournament}/cancel/", S)],
    "tournaments/<slug:slug>/delete/": [("/tournaments/{draft}/delete/", S)],
    "tournaments/<slug:slug>/rounds/<int:number>/rerun/": [("/tournaments/{tournament}/rounds/1/rerun/", S)],
    "tournaments/<slug:slug>/rounds/<int:number>/boards/<int:board>/decide/": [
        ("/tournaments/{tournament}/rounds/1/boards/1/decide/", S)
    ],
    "tournaments/<slug:slug>/rounds/<int:number>/boards/<int:board>/undo/": [
        ("/tournaments/{tournament}/rounds/1/boards/1/undo/", S)
    ],
    "tournaments/<slug:slug>/announcements/": [("/tournaments/{tournament}/announcements/", H)],
    "tournaments/<slug:slug>/announcements/<int:pk>/delete/": [
        ("/tournaments/{tournament}/announcements/{announcement}/delete/", S)
    ],
    "tournaments/<slug:slug>/decisions/": [
        ("/tournaments/{tournament}/decisions/", A),
        ("/tournaments/{draft}/decisions/", S),
    ],
    "tournaments/<slug:slug>/organise/rehearse/": [("/tournaments/{tournament}/organise/rehearse/", S)],
    "tournaments/<slug:slug>/organise/rehearse/end/": [("/tournaments/{tournament}/organise/rehearse/end/", S)],
    "tournaments/<slug:slug>/organise/remind/": [("/tournaments/{tournament}/organise/remind/", S)],
    "tournaments/<slug:slug>/organise/organisers/": [("/tournaments/{tournament}/organise/organisers/", S)],
    "tournaments/<slug:slug>/organise/organisers/remove/": [
        ("/tournaments/{tournament}/organise/organisers/remove/", S)
    ],
    "tournaments/<slug:slug>/practise/": [
        ("/tournaments/{tournament}/practise/", K),
        ("/tournaments/{draft}/practise/", S),
    ],
    "tournaments/<slug:slug>/enter/": [("/tournaments/{tournament}/enter/", K), ("/tournaments/{draft}/enter/", S)],
    "tournaments/<slug:slug>/entrants/<int:pk>/withdraw/": [("/tournaments/{tournament}/entrants/1/withdraw/", S)],
    "tournaments/<slug:slug>/entrants/<int:pk>/disqualify/": [("/tournaments/{tournament}/entrants/1/disqualify/", S)],
    "welcome/": [("/welcome/", K)],
    "groups/": [("/groups/", K)],
    "groups/new/": [("/groups/new/", S)],
    "groups/join/": [("/groups/join/", K), ("/groups/join/?code=0000-0000-0000", K)],
    "groups/invitations/<int:pk>/accept/": [("/groups/invitations/{group_invitation}/accept/", P)],
    "groups/invitations/<int:pk>/refuse/": [("/groups/invitations/{group_invitation}/refuse/", P)],
    "groups/sign-in/<str:token>/": [("/groups/sign-in/none/", N)],
    "groups/<slug:slug>/list/": [("/groups/{group}/list/", P)],
    "groups/<slug:slug>/list/links/": [("/groups/{group}/list/links/", P)],
    "groups/<slug:slug>/": [("/groups/{group}/", P)],
    "groups/<slug:slug>/end/": [("/groups/{group}/end/", P)],
    "groups/<slug:slug>/export.zip": [("/groups/{group}/export.zip", P)],
    "groups/<slug:slug>/edit/": [("/groups/{group}/edit/", P)],
    "groups/<slug:slug>/code/": [("/groups/{group}/code/", P)],
    "groups/<slug:slug>/code/end/": [("/groups/{group}/code/end/", P)],
    "groups/<slug:slug>/leave/": [("/groups/{group}/leave/", P)],
    "groups/<slug:slug>/ladders/new/": [("/groups/{group}/ladders/new/", P)],
    "groups/<slug:slug>/ladders/<slug:game>/<slug:edition>/": [
        ("/groups/{group}/ladders/battleline/standard/", P),
        ("/groups/{group}/ladders/battleline/standard/?format=csv", P),
    ],
    "groups/<slug:slug>/ladders/<slug:game>/<slug:edition>/seasons/<int:number>/": [
        ("/groups/{group}/ladders/battleline/standard/seasons/1/", P)
    ],
    "groups/<slug:slug>/ladders/<slug:game>/<slug:edition>/how/": [
        ("/groups/{group}/ladders/battleline/standard/how/", P)
    ],
    "groups/<slug:slug>/ladders/<slug:game>/<slug:edition>/organise/": [
        ("/groups/{group}/ladders/battleline/standard/organise/", P)
    ],
    "groups/<slug:slug>/ladders/<slug:game>/<slug:edition>/bots/": [
        ("/groups/{group}/ladders/battleline/standard/bots/", P)
    ],
    "groups/<slug:slug>/announcements/": [("/groups/{group}/announcements/", P)],
    "groups/<slug:slug>/announcements/<int:pk>/delete/": [
        ("/groups/{group}/announcements/{group_announcement}/delete/", P)
    ],
    "groups/<slug:slug>/marks/": [("/groups/{group}/marks/", P), ("/groups/{group}/marks/?format=csv", P)],
    "groups/<slug:slug>/reading/accept/": [("/groups/{group}/reading/accept/", P)],
    "groups/<slug:slug>/sources/": [("/groups/{group}/sources/", P), ("/groups/{group}/sources/?of=none", N)],
    "groups/<slug:slug>/sources.zip": [("/groups/{group}/sources.zip", P)],
    "groups/<slug:slug>/sources/<int:pk>/": [("/groups/{group}/sources/{group_source}/", P)],
    "groups/<slug:slug>/sources/<int:left>/<int:right>/": [
        ("/groups/{group}/sources/{group_source}/{group_source}/", P)
    ],
    "groups/<slug:slug>/members/": [("/groups/{group}/members/", P)],
    "groups/<slug:slug>/members/<int:pk>/name/": [("/groups/{group}/members/{group_member}/name/", P)],
    "groups/<slug:slug>/members/<int:pk>/slip/": [("/groups/{group}/members/{group_member}/slip/", P)],
    "groups/<slug:slug>/members/<int:pk>/role/": [("/groups/{group}/members/{group_member}/role/", P)],
    "groups/<slug:slug>/members/<int:pk>/remove/": [("/groups/{group}/members/{group_member}/remove/", P)],
    "tokens/": [("/tokens/", K)],
    "tokens/<int:pk>/revoke/": [("/tokens/{token}/revoke/", P)],
    "notices/": [("/notices/", K)],
    "following/": [("/following/", K)],
    "following/bots/<slug:slug>/": [("/following/bots/heron/", K)],
    "following/authors/<str:name>/": [("/following/authors/ben/", K)],
    "following/ladders/<slug:game>/<slug:edition>/": [("/following/ladders/battleline/standard/", K)],
    "following/ladders/<slug:game>/<slug:edition>/<clock:clock>/": [
        ("/following/ladders/battleline/standard/open/", K)
    ],
    "following/stop/<str:key>/": [("/following/stop/none/", N), ("/following/stop/{unsubscribe_key}/", A)],
    "webhooks/": [("/webhooks/", K)],
    "webhooks/<int:pk>/": [("/webhooks/{webhook}/", P)],
    "webhooks/<int:pk>/test/": [("/webhooks/{webhook}/test/", P)],
    "webhooks/<int:pk>/enable/": [("/webhooks/{webhook}/enable/", P)],
    "webhooks/<int:pk>/delete/": [("/webhooks/{webhook}/delete/", P)],
}
ACCOUNTS = "accounts/"
"""Whatever a stranger's package has there is walked as is; it shows nothing but forms and what OF_PERSON has."""
OF_PERSON = {f"accounts/2fa/{page}/" for page in ("totp/deactivate", "recovery-codes", "recovery-codes/download")}
"""There only for who has set up a second factor."""
ADMIN = "admin/"
"""All of it is for staff; rows are taken from the models it shows."""

ROWS = 6
"""Newest rows tried of each model."""


def every_route() -> list[str]:
    """What the URL conf has, by the texts of its patterns."""
    return list(_routes_of(get_resolver().url_patterns))


def _routes_of(patterns: Iterable[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from _routes_of(pattern.url_patterns, route)


def known_routes() -> set[str]:
    return ROUTES.keys() | {f"api/v1/{route}" for route in API}


def addresses(names: dict[str, object]) -> list[Address]:
    """All that is walked; `names` fills the paths."""
    pages = [Address(path.format(**names), who) for paths in ROUTES.values() for path, who in paths]
    api = [Address(f"/api/v1{path}".format(**names), who) for paths in API.values() for path, who in paths]
    return pages + api + account_addresses() + admin_addresses()


def account_addresses() -> list[Address]:
    plain = [route for route in every_route() if route.startswith(ACCOUNTS) and not set("<^(") & set(route)]
    return [Address(f"/{route}", Who.PERSON if route in OF_PERSON else Who.ALL) for route in plain]


def admin_addresses() -> list[Address]:
    found = [Address("/admin/", Who.STAFF)]
    for model in admin.site._registry:
        folder = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        found += [Address(folder, Who.STAFF), Address(f"{folder}add/", Who.STAFF)]
        for number, pk in enumerate(model._default_manager.order_by("-pk").values_list("pk", flat=True)[:ROWS]):
            found.append(Address(f"{folder}{pk}/change/", Who.STAFF, is_further_row=number > 0))
    return found
