"""Records of earlier versions verify for ever: `old_records/` was written by `pennant play --out` in version 0.1.0.

That was before records had their version, changed options and kinds of seats, and before Battalion's option `start`.
"""

import json
from pathlib import Path

import pytest

from engine.core import Json
from engine.replay import check_hash, record_hash, states, verify

FILES = sorted((Path(__file__).parent / "old_records").glob("*.json"))
HASHES = {
    "advanced-start": "6ee8092f83352147ff1c31c4cd7916f9290a2975329caafad308402f37c60e93",
    "battalion-2": "5df665352f737ab5e25b89b1cfbe43927ecf5f960f517590ef96bebb7056b6a0",
    "battalion-3": "25e68364ca321000ebd1a6f4ce2e0a562e61718f781865658ff09e7ca01c6d74",
    "battalion-4-crash": "4c6448ab0f8af37191d92df123b4f0900b5f7de9e99fe79a1e7151aef7cd680f",
    "hundred-years": "3d3ba79814d9fc659384ace3fc248bde6332839a2ed3de7af352508b718c9292",
    "long-searcher": "c9ceda04f746b84f0a80a4543ef0e36da0d7768614b6c0fa03fb73cc41f24427",
    "short": "0892e4d51434447808f0321247d6c180512e40d7cd959b9e9c65592d9079422b",
    "standard-crash": "4371d9ef15df6867cb834d912a8c486a345d13250beca0933f67e4836de1c4f5",
    "standard": "207db4d6c24e8cc24f85ba818588cbc716aee93021d6a3f39b3a97848f18d3f5",
    "terrain": "c027bca8915e9a00ece086055160222753040466926e4fa4331c36cb30bc9273",
}
"""What was published of them stays true, too."""


def read(path: Path) -> Json:
    record: Json = json.loads(path.read_text())
    return record


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_old_record_verifies_and_keeps_its_hash(path: Path) -> None:
    record = read(path)
    verify(record)
    check_hash(record, HASHES[path.stem])
    *_, last = states(record)
    assert last.outcome is not None and list(last.outcome.places) == record["result"]["places"]


def test_the_old_records_are_of_many_kinds() -> None:
    records = [read(path) for path in FILES]
    assert {record["edition"] for record in records} >= {"standard", "advanced", "short", "long", "hundred-years"}
    battalion = [record for record in records if record["game"] == "battalion"]
    assert {len(record["seats"]) for record in battalion} == {2, 3, 4}
    assert not any("start" in record["options"] for record in battalion)
    assert {"crash", "start", "ok"} <= {verdict for record in records for verdict in record["result"]["verdicts"]}
    assert any("eval" in entry for record in records for entry in record["actions"])
    assert not any("arena" in record or "changed_options" in record for record in records)
    assert all(record_hash(record) in HASHES.values() for record in records)
