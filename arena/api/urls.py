from django.urls import path, re_path

from arena.api import (
    challenges,
    comparisons,
    frame,
    head_to_head,
    ladders,
    languages,
    matches,
    notices,
    queue,
    ratings,
    records,
    seasons,
    webhooks,
)

SEASON = "ladders/<slug:game>/<slug:edition>/seasons/<int:number>/"

urlpatterns = [
    path("languages/", languages.LanguageList.as_view(), name="api_languages"),
    path("bots/<slug:slug>/ratings/", ratings.RatingHistory.as_view(), name="api_ratings"),
    path("bots/<slug:slug>/head-to-head/", head_to_head.HeadToHead.as_view(), name="api_head_to_head"),
    path("matches/", matches.MatchList.as_view(), name="api_matches"),
    path("matches/<int:pk>/", matches.MatchDetail.as_view(), name="api_match"),
    path("matches/<int:pk>/legs/<int:number>/record/", records.Record.as_view(), name="api_record"),
    path("matches/<int:pk>/legs/<int:number>/logs/", records.Logs.as_view(), name="api_logs"),
    path("ladders/", ladders.LadderList.as_view(), name="api_ladders"),
    path("ladders/<slug:game>/<slug:edition>/", ladders.LadderDetail.as_view(), name="api_ladder"),
    path("ladders/<slug:game>/<slug:edition>/standing/", ladders.Standing.as_view(), name="api_standing"),
    path("ladders/<slug:game>/<slug:edition>/seasons/", seasons.SeasonList.as_view(), name="api_seasons"),
    path(SEASON, seasons.SeasonDetail.as_view(), name="api_season"),
    path(f"{SEASON}standing/", seasons.SeasonStanding.as_view(), name="api_season_standing"),
    path(f"{SEASON}deals/", seasons.DealList.as_view(), name="api_deals"),
    path("challenges/", challenges.ChallengeList.as_view(), name="api_challenges"),
    path("comparisons/", comparisons.ComparisonList.as_view(), name="api_comparisons"),
    path("comparisons/<int:pk>/", comparisons.ComparisonDetail.as_view(), name="api_comparison"),
    path("comparisons/<int:pk>/stop/", comparisons.ComparisonStop.as_view(), name="api_comparison_stop"),
    path("queue/", queue.Queue.as_view(), name="api_queue"),
    path("notices/", notices.NoticeList.as_view(), name="api_notices"),
    path("notices/seen/", notices.NoticesSeen.as_view(), name="api_notices_seen"),
    path("webhooks/", webhooks.WebhookList.as_view(), name="api_webhooks"),
    path("webhooks/<int:pk>/", webhooks.WebhookDetail.as_view(), name="api_webhook"),
    path("webhooks/<int:pk>/deliveries/", webhooks.DeliveryList.as_view(), name="api_deliveries"),
    path("webhooks/<int:pk>/test/", webhooks.WebhookTest.as_view(), name="api_webhook_test"),
    path("webhooks/<int:pk>/wake/", webhooks.WebhookWake.as_view(), name="api_webhook_wake"),
    re_path(r"", frame.Nothing.as_view()),
]
