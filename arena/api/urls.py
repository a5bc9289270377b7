from django.urls import path, re_path

from arena.api import frame, languages

urlpatterns = [
    path("languages/", languages.LanguageList.as_view(), name="api_languages"),
    re_path(r"", frame.Nothing.as_view()),
]
