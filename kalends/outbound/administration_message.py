"""E-mail of the administration: invitations, registrations that wait for approval, what became of them, and tests."""

from email.message import EmailMessage

from kalends.context import Context
from kalends.i18n import Text, gettext
from kalends.outbound.account_message import Wording, compose
from kalends.outbound.outcome import Undeliverable
from kalends.records.delivery import AdministrationNotice, Delivery
from kalends.records.user import User
from kalends.site import store as sites
from kalends.users import invitations

# What a notice says, the path that its button leads to, and the label of the button.
Notice = tuple[Wording, str, Text | None]


def build(ctx: Context, delivery: Delivery, user: User) -> EmailMessage:
    """The message. user: whom it is about; of an invitation and a refusal, the admin who sent it."""
    if delivery.notice == "account_invited":
        return _invite(ctx, delivery, user)
    wordings = _wordings({"user_name": user.user_name, "service": ctx.settings.url})
    wording, path, label = next(value for notice, value in wordings.items() if notice == delivery.notice)
    return compose(ctx.settings, delivery, wording, ctx.locale, f"{ctx.settings.url}{path}" if path else "", label)


def _invite(ctx: Context, delivery: Delivery, admin: User) -> EmailMessage:
    invitation = invitations.find_by_address(ctx, delivery.address)
    if invitation is None:
        raise Undeliverable("The invitation was used or withdrawn before it was sent.")
    names = {"name": admin.name or admin.user_name, "site": sites.get(ctx).name, "service": ctx.settings.url}
    wording = Wording(
        gettext("Make your account on %(site)s", site=names["site"]),
        gettext("%(name)s invites you to %(site)s, %(service)s. This link makes your account: it works once, within two weeks.", **names),
        gettext("If you do not want an account, do nothing: nobody can make one with your address without this link."),
    )
    url = invitations.invitation_url(ctx.settings, invitation)
    return compose(ctx.settings, delivery, wording, ctx.locale, url, gettext("Make my account"))


def _wordings(names: dict[str, str]) -> dict[AdministrationNotice, Notice]:
    service = {"service": names["service"]}
    test = Wording(
        gettext("Mail arrives"),
        gettext("This is a test message of %(service)s: the queue, the background worker and the mail server work.", **service),
        gettext("You asked for it on the page Mail of the administration."),
    )
    waiting = Wording(
        gettext("Someone waits for your approval"),
        gettext("Someone has registered on %(service)s, and waits until an administrator decides.", **service),
        gettext("You get this because you administer the site: once a day, however many wait."),
    )
    added = Wording(
        gettext("%(user_name)s is an administrator now", user_name=names["user_name"]),
        gettext("The account %(user_name)s administers %(service)s from now on.", **names),
        gettext("You get this because you administer the site. If nobody knows why, take the role back, and read the log of the site."),
    )
    stopped = Wording(
        gettext("%(user_name)s cannot send any more", user_name=names["user_name"]),
        gettext("Many people refused the mail of %(user_name)s on %(service)s, so the account is stopped from sending to others.", **names),
        gettext("You get this because you administer the site. If the mail was wanted, allow the account to send again."),
    )
    return {
        "test_message": (test, "", None),
        "sending_stopped": (stopped, "/admin/people?sending=stopped", gettext("See who is stopped")),
        "admin_added": (added, "/admin/audit", gettext("See the log")),
        "account_waiting": (waiting, "/admin/people?status=waiting", gettext("See who waits")),
        **_registration_wordings(names, service),
    }


def _registration_wordings(names: dict[str, str], service: dict[str, str]) -> dict[AdministrationNotice, Notice]:
    """To those who have registered: what became of it."""
    approved = Wording(
        gettext("Your account is approved"),
        gettext("You can use the account %(user_name)s on %(service)s now.", **names),
        gettext("If you did not make this account, do nothing."),
    )
    refused = Wording(
        gettext("Your registration was not accepted"),
        gettext("The administrators of %(service)s have not accepted the registration with this address. It is deleted.", **service),
        gettext("If you think that this is a mistake, write to the administrator of %(service)s.", **service),
    )
    registered = Wording(
        gettext("You have an account already"),
        gettext("Someone has registered on %(service)s with your e-mail address, which is that of the account %(user_name)s.", **names),
        gettext("If you have forgotten your password, choose a new one: %(service)s/reset. If it was not you, do nothing.", **service),
    )
    return {
        "account_approved": (approved, "/sign-in", gettext("Sign in")),
        "account_refused": (refused, "", None),
        "address_registered": (registered, "/sign-in", gettext("Sign in")),
    }
