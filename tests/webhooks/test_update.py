"""PUT /api/webhooks/{id}, and what switches webhooks off."""

from kalends.core.settings import Settings
from tests.cast import PASSWORD, Cast, a_calendar, a_webhook
from tests.conftest import NOON
from tests.users.account_mail import a_reset_token


def test_only_the_fields_that_are_sent_change(cast: Cast) -> None:
    webhook = a_webhook(cast.alice, kinds=["event", "comment"])
    path = f"/api/webhooks/{webhook['id']}"
    changed = cast.alice.put(path, json={"enabled": False}).json
    assert changed == webhook | {"enabled": False, "disabled_reason": "owner"}
    assert cast.alice.put(path, json={"enabled": True, "kinds": None}).json == webhook | {"kinds": None}
    assert cast.alice.put(path, json={"calendar_id": a_calendar(cast.bob)["id"]}).status == 404


def test_a_new_password_that_deletes_keys_switches_webhooks_off(cast: Cast, settings: Settings) -> None:
    webhook = a_webhook(cast.alice)
    path, fields = f"/api/users/{cast.alice.id}", {"current_password": PASSWORD, "password": "another long password"}
    cast.alice.put(path, json=fields)
    assert cast.alice.get(f"/api/webhooks/{webhook['id']}").json["enabled"]
    fields = {"current_password": "another long password", "password": PASSWORD, "delete_keys": "true"}
    assert cast.alice.put(path, json=fields).status == 200
    assert cast.alice.get(f"/api/webhooks/{webhook['id']}").json["disabled_reason"] == "password"


def test_a_password_reset_switches_webhooks_off(cast: Cast, settings: Settings) -> None:
    webhook = a_webhook(cast.alice)
    reset = cast.anonymous.post(f"/reset/{a_reset_token(settings, cast.alice.id, NOON)}", data={"password": PASSWORD})
    assert reset.status == 303, reset
    login = cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD})
    detail = cast.anonymous.signed_in(login.json["token"]).get(f"/api/webhooks/{webhook['id']}").json
    assert (detail["enabled"], detail["disabled_reason"]) == (False, "password")


def test_a_parameter_that_webhooks_do_not_have_is_refused(cast: Cast) -> None:
    webhook = a_webhook(cast.alice)
    path = f"/api/webhooks/{webhook['id']}"
    for method, url, fields in (("POST", "/api/webhooks", {"url": webhook["url"]}), ("PUT", path, {}), ("POST", f"{path}/redeliver", {})):
        refused = cast.alice.request(method, url, json=fields | {"events": ["put"]})
        assert (refused.status, "events" in refused.broken) == (422, True), url
    assert cast.alice.get("/api/webhooks").json["webhooks"] == [webhook]
