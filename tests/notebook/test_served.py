"""The live file without a model: at its address, with a hole for every part, and at no other."""

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from tlmviz.notebook import live, served


def test_it_has_an_address_and_holes():
    client = TestClient(Starlette(routes=[Route(served.PATH, served.answer)]))
    given = client.get(f"/{served.address()}").json()
    assert client.get(f"/under/{served.address()}").json() == given
    for part in live.HOLES.values():
        assert part in given["page"]
    assert given["opening"]["state"]["layer"] == 0 and given["opening"]["colors"]
    assert client.get("/live/0.json").status_code == 404
