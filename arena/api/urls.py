from django.urls import path

from arena.api import languages

urlpatterns = [path("languages/", languages.LanguageList.as_view(), name="api_languages")]
