"""Who requested analyses is handed out to that person, and forgotten with the name."""

import io
import json
import zipfile

from arena.contests.analysis.models import LegAnalysis
from arena.contests.analysis.services import request_analysis
from arena.matches.models import Leg
from arena.operations.lifecycle import anonymise_user
from arena.operations.personal_data import write_export
from arena.people.accounts.models import User


def test_requests_are_in_the_export_and_forgotten_with_the_name(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    file = io.BytesIO()
    write_export(user=ana, file=file)
    (told,) = json.loads(zipfile.ZipFile(file).read("analyses.json"))
    assert (told["match"], told["leg"], told["state"]) == (leg.match_id, 1, "waiting")
    anonymise_user(user=ana)
    assert LegAnalysis.objects.get().requested_by is None
