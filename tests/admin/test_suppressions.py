"""/api/admin/suppressions: admins see the addresses that get no more messages, and send to them again."""

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.deliveries import suppression_store as suppressions
from kalends.http.context import Context
from tests.cast import Cast
from tests.deliveries.samples import a_suppression
from tests.site.administrator import Admin

PATH = "/api/admin/suppressions"


def test_an_admin_finds_an_address_and_lifts_what_a_mail_server_refused(cast: Cast, settings: Settings) -> None:
    ada, refused = Admin(cast.anonymous, "ada"), a_suppression(settings, cast.alice)
    listed = ada.get(f"{PATH}?limit=1&count=true").json
    [row] = listed["suppressions"]
    assert (row["id"], row["user_name"], row["reason"], row["detail"]) == (refused, cast.alice.user_name, "refused", "No such user")
    assert listed["total"] >= 1
    local, _, domain = row["address"].partition("@")
    assert ada.get(PATH, query={"address": f"{local.upper()}@{domain}", "count": "true"}).json["total"] == 1
    page = ada.get("/admin/suppressions", query={"address": row["address"]}).text
    assert all(text in page for text in ("No such user", cast.alice.user_name, f'action="/admin/suppressions/{refused}/lift"'))
    assert ada.post(f"/admin/suppressions/{refused}/lift").redirect == ("/admin/suppressions", "saved")
    assert cast.alice.get("/api/deliveries/suppressions").json["suppressions"] == []
    assert ada.delete(f"{PATH}/{refused}").status == 404


def test_an_admin_does_not_lift_what_the_recipient_asked_for(cast: Cast, db: Database, settings: Settings) -> None:
    ada, owner, ctx = Admin(cast.anonymous, "ada"), cast.alice, Context(db, settings, 0)
    with ctx.write():
        suppressions.insert(ctx, "notice", "unsubscribed", "email", "hal@example.org", owner_id=owner.id)
    [row] = ada.get(f"{PATH}?limit=1").json["suppressions"]
    assert (row["address"], ada.delete(f"{PATH}/{row['id']}").status) == ("hal@example.org", 409)
    assert f"/admin/suppressions/{row['id']}/lift" not in ada.get("/admin/suppressions?limit=1").text
