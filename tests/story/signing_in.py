"""Say whether somebody can sign in to an installation.

    python -m tests.story.signing_in NAME PASSWORD

It prints the name of the user who is signed in then, or nobody. Static files needn't be collected.
"""

import os
import sys

import django

if __name__ == "__main__":
    os.environ["DEBUG"] = "on"
    django.setup()
    from django.contrib.auth import get_user
    from django.test import Client

    client = Client(headers={"host": "localhost"})
    name, password = sys.argv[1:]
    client.post("/accounts/login/", {"login": name, "password": password})
    print(get_user(client).get_username() or "nobody")
