"""Pictures at the real server: while a large one is decoded, other requests go on."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.http.multipart import multipart
from tests.pictures.files import png
from tests.serve.conftest import Start
from tests.serve.running import Running, bearer, processes


@pytest.mark.on_one_database
def test_other_requests_are_served_while_a_bomb_is_decoded(start: Start, database: str) -> None:
    service = start(database=database, threads=1)
    token = service.sign_up("alice")
    event = service.post("/api/events", {"title": "Jazz", "start_time": "2030-01-01"}, headers=bearer(token)).json
    with ThreadPoolExecutor(1) as uploads:
        upload = uploads.submit(_upload, service, token, f"/api/events/{event['id']}/image", png(7_300, 5_400, rows=5_400))
        while not (is_decoding := _is_decoding()) and not upload.done():
            pass
        assert is_decoding
        assert service.get(f"/api/events/{event['id']}", headers=bearer(token)).status == 200
        assert service.post("/api/events", {"title": "Late", "start_time": "2030-01-01"}, headers=bearer(token)).status == 201
        assert not upload.done()
        assert upload.result() == 200


def _is_decoding() -> bool:
    return any("kalends.features.pictures.steps.reencode" in command for _, command in processes().values())


def _upload(service: Running, token: str, path: str, content: bytes) -> int:
    request = multipart(files=[("file", "a.png", content)])
    connection = service.connection()
    try:
        connection.request("POST", path, request["body"], request["headers"] | bearer(token))
        return connection.getresponse().status
    finally:
        connection.close()
