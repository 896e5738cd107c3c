"""Administration: the log of what admins did."""

from kalends.core.i18n import gettext
from kalends.core.records.administration import AuditAction
from kalends.features.admin.audit import api
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.paging import Paging
from kalends.web.page import page
from kalends.web.render import render

ACTIONS: dict[AuditAction, str] = {
    "account_created": gettext("made an account"),
    "account_approved": gettext("approved a registration"),
    "account_refused": gettext("refused a registration"),
    "account_suspended": gettext("suspended an account"),
    "account_activated": gettext("lifted the suspension of an account"),
    "account_deleted": gettext("deleted an account"),
    "role_changed": gettext("changed the role of an account"),
    "sending_changed": gettext("changed whether an account may send"),
    "password_set": gettext("set the password of an account"),
    "factors_removed": gettext("turned off the second factor of an account"),
    "account_invited": gettext("invited someone to create an account"),
    "invitation_withdrawn": gettext("withdrew an invitation"),
    "site_changed": gettext("changed settings of the site"),
    "event_hidden": gettext("hid an event"),
    "event_shown": gettext("showed an event again"),
    "sender_blocked": gettext("blocked a sender"),
    "sender_accepted": gettext("accepted a sender again"),
    "suppression_lifted": gettext("lifted the end of messages to an address"),
    "report_closed": gettext("closed a report"),
    "report_opened": gettext("opened a report again"),
    "calendar_given": gettext("gave a deleted account’s calendar to someone"),
    "calendar_erased": gettext("erased a deleted account’s calendar for good"),
}
WAYS = {"page": gettext("on a page"), "api": gettext("by the API"), "key": gettext("with an API key"), "command": gettext("with a command")}


@page("GET", "/admin/audit")
def index(ctx: Context, params: Paging) -> Document:
    """What admins and the operator did, the newest first."""
    return render("audit/index.html", ctx, title=gettext("Log"), index=api.audit(ctx, params), actions=ACTIONS, ways=WAYS)
