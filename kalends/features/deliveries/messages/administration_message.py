"""E-mail of the administration: invitations, registrations that wait for approval, what became of them, and tests."""

from email.message import EmailMessage

from kalends.core.i18n import Text, gettext
from kalends.core.records.delivery import AdministrationNotice, Delivery
from kalends.core.records.event import Event
from kalends.core.records.people import User
from kalends.features.deliveries.messages.account_message import Wording, compose
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.features.hidden_events import store as hidden_events
from kalends.features.users import invitation_store as invitations
from kalends.http.context import Context
from kalends.policy import site as sites

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
        gettext("You’re invited to %(site)s", site=names["site"]),
        gettext(
            "%(name)s has invited you to %(site)s (%(service)s). Use this link to create your account. It works "
            "once and expires in two weeks.",
            **names,
        ),
        gettext("If you don’t want an account, ignore this email. Nobody can create one with your address without this link."),
    )
    url = invitations.invitation_url(ctx.settings, invitation)
    return compose(ctx.settings, delivery, wording, ctx.locale, url, gettext("Create account"))


def _wordings(names: dict[str, str]) -> dict[AdministrationNotice, Notice]:
    service = {"service": names["service"]}
    test = Wording(
        gettext("Test email: it works"),
        gettext("This is a test email from %(service)s. The queue, the background worker and the mail server are working.", **service),
        gettext("You asked for it on the Email page of the administration."),
    )
    waiting = Wording(
        gettext("Someone is waiting for your approval"),
        gettext("Someone has signed up on %(service)s and is waiting for an administrator’s approval.", **service),
        gettext("You get this because you’re an administrator of this site. We send it at most once a day."),
    )
    reported = Wording(
        gettext("A report is waiting for you"),
        gettext("Someone has reported an event, a comment or a calendar on %(service)s.", **service),
        gettext("You get this because you’re an administrator of this site. While reports are open, we send it at most once a day."),
    )
    added = Wording(
        gettext("%(user_name)s is an administrator now", user_name=names["user_name"]),
        gettext("The account %(user_name)s is now an administrator of %(service)s.", **names),
        gettext(
            "You get this because you’re an administrator of this site. If nobody knows why, take the role away and read the site’s log."
        ),
    )
    stopped = Wording(
        gettext("%(user_name)s can no longer send emails", user_name=names["user_name"]),
        gettext("Many people refused emails from %(user_name)s on %(service)s, so the account can’t send to others any more.", **names),
        gettext("You get this because you’re an administrator of this site. If the emails were wanted, allow the account to send again."),
    )
    return {
        "test_message": (test, "", None),
        "report_waiting": (reported, "/admin/moderation", gettext("Review reports")),
        "sending_stopped": (stopped, "/admin/people?sending=stopped", gettext("See who is stopped")),
        "admin_added": (added, "/admin/audit", gettext("See the log")),
        "account_waiting": (waiting, "/admin/people?status=waiting", gettext("Review requests")),
        **_registration_wordings(names, service),
    }


def _registration_wordings(names: dict[str, str], service: dict[str, str]) -> dict[AdministrationNotice, Notice]:
    """To those who have registered: what became of it."""
    approved = Wording(
        gettext("Your account has been approved"),
        gettext("You can now use the account %(user_name)s on %(service)s.", **names),
        gettext("If you didn’t create this account, ignore this email."),
    )
    refused = Wording(
        gettext("Your account request wasn’t approved"),
        gettext(
            "The administrators of %(service)s didn’t approve the account requested with this address. The request has been deleted.",
            **service,
        ),
        gettext("If you think this is a mistake, contact the administrator of %(service)s.", **service),
    )
    registered = Wording(
        gettext("You already have an account"),
        gettext(
            "Someone tried to sign up on %(service)s with your email address, but you already have an account: %(user_name)s.", **names
        ),
        gettext("Forgot your password? Choose a new one: %(service)s/reset. If this wasn’t you, ignore this email.", **service),
    )
    return {
        "account_approved": (approved, "/sign-in", gettext("Sign in")),
        "account_refused": (refused, "", None),
        "address_registered": (registered, "/sign-in", gettext("Sign in")),
    }


def build_moderation(ctx: Context, delivery: Delivery, event: Event) -> EmailMessage:
    """The message; raises Undeliverable if the opposite has happened since."""
    hidden = hidden_events.find_by_event(ctx, event.id)
    if (hidden is None) == (delivery.notice == "event_hidden"):
        raise Undeliverable("It was hidden, or shown again, before it was sent.")
    if hidden:
        wording = Wording(
            gettext("Your event was hidden: %(title)s", title=event.title),
            gettext(
                "An administrator of %(service)s has hidden “%(title)s”. Only its editors can still see it. Reason: %(reason)s",
                service=ctx.settings.url,
                title=event.title,
                reason=hidden.reason,
            ),
            gettext("You can view or delete the event. You can edit it again once an administrator unhides it."),
        )
    else:
        wording = Wording(
            gettext("Your event is visible again: %(title)s", title=event.title),
            gettext(
                "An administrator of %(service)s has unhidden “%(title)s”. Everyone who could see it before can see it again.",
                service=ctx.settings.url,
                title=event.title,
            ),
            gettext("You can edit it again."),
        )
    return compose(ctx.settings, delivery, wording, ctx.locale, f"{ctx.settings.url}/events/{event.id}", gettext("View event"))
