from django.apps import AppConfig


class ChallengesConfig(AppConfig):
    name = "arena.challenges"
