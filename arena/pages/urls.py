from django.urls import path

from arena.pages import bots, home, ladders, matches, notices, queue, rules, theme, tokens, versions, webhooks

urlpatterns = [
    path("", home.front, name="home"),
    path("start/", home.start, name="start"),
    path("health/", home.health, name="health"),
    path("theme/", theme.choose, name="theme"),
    path("ladders/", ladders.index, name="ladders"),
    path("ladders/<slug:game>/<slug:edition>/", ladders.standing, name="ladder"),
    path("ladders/<slug:game>/<slug:edition>/seasons/<int:number>/", ladders.season, name="season"),
    path("rules/", rules.index, name="rules_index"),
    path("rules/<slug:game>/<slug:edition>/", rules.page, name="rules"),
    path("matches/", matches.index, name="matches"),
    path("matches/<int:pk>/", matches.detail, name="match"),
    path("matches/<int:pk>/legs/<int:number>/record.json", matches.record, name="record"),
    path("bots/", bots.index, name="bots"),
    path("bots/new/", versions.new_bot, name="new_bot"),
    path("bots/<slug:slug>/", bots.detail, name="bot"),
    path("bots/<slug:slug>/upload/", versions.upload, name="upload"),
    path("bots/<slug:slug>/v/<int:number>/", versions.detail, name="version"),
    path("bots/<slug:slug>/v/<int:number>/source.zip", versions.source, name="source"),
    path("notices/", notices.index, name="notices"),
    path("webhooks/", webhooks.index, name="webhooks"),
    path("webhooks/<int:pk>/", webhooks.detail, name="webhook"),
    path("webhooks/<int:pk>/test/", webhooks.test, name="webhook_test"),
    path("webhooks/<int:pk>/wake/", webhooks.wake, name="webhook_wake"),
    path("webhooks/<int:pk>/delete/", webhooks.delete, name="webhook_delete"),
    path("tokens/", tokens.index, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke, name="revoke_token"),
    path("queue/", queue.index, name="queue"),
]
