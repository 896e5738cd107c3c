"""Inviting people by mail, sending an invitation again, taking it back, and the calendars of guests."""

from collections import Counter

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.people import Contact
from kalends.core.records.response import Invitation
from kalends.core.values.text import fold_case
from kalends.features.calendars import client_file_store as write_store
from kalends.features.contacts import store as contacts
from kalends.features.contacts.model import ContactFilter
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.model import Recipient
from kalends.features.deliveries.steps import guest_notice, limits
from kalends.features.events.invitations import store
from kalends.features.events.invitations.model import MAX_AT_ONCE, InvitationInput, Invited
from kalends.features.events.invitations.steps import calendar_part
from kalends.features.events.invitations.store import Invitee, Target
from kalends.features.events.placements import grant_store as grants
from kalends.features.events.placements import store as placements
from kalends.features.events.series.steps import scope as series_scope
from kalends.features.responses import series_response_store as series_responses
from kalends.features.responses import store as responses
from kalends.features.subscribers import store as subscribers
from kalends.http.context import Context
from kalends.policy import Right

# What became of the mail of an invitation that is delivered on this site alone.
MAILBOX_FULL = "The mailbox got as many invitations in an hour as it may, so no mail was sent."


class Selection(Struct, frozen=True):
    """Whom a request names: those who are not invited yet, those of them to invite, and how many are invited already.

    unmailed: those who get none only because their mailbox got as many as it may."""

    new: list[Invitee]
    guests: list[Invitee]
    already: int
    without_address: int
    unmailed: list[Invitee]

    @property
    def counts(self) -> Invited:
        return Invited(len(self.guests), self.already, len(self.new) - len(self.guests), self.without_address)


def invite(ctx: Context, event_id: int, params: InvitationInput, *, also_unmailed: bool = False) -> Invited:
    """Invite the people, each once.

    also_unmailed: also those whose mailbox got as many mails as it may: their calendars and inboxes here get the invitation. Whether
    they have an account makes no difference that the organiser sees."""
    event, target, selection = select(ctx, event_id, params)
    unmailed = selection.unmailed if also_unmailed else []
    guests = selection.guests + unmailed
    if not guests:
        return selection.counts
    policy.require_verified_sender(ctx)
    limits.count_invitations(ctx, len(guests))
    sequence = calendar_part.sequence_of(ctx, event, is_series=target.kind == "series")
    store.insert(ctx, target, event.owner_id, policy.user(ctx).id, guests, params, sequence)
    invitations = store.find_by_addresses(ctx, target, [guest.address for guest in guests])
    for guest in unmailed:
        store.set_state(ctx, invitations.pop(fold_case(guest.address)).id, "bounced", MAILBOX_FULL)
    _queue(ctx, event, "invitation", list(invitations.values()))
    return selection.counts


def select(ctx: Context, event_id: int, params: InvitationInput) -> tuple[Event, Target, Selection]:
    """The guests whom the request names, each address once, and what they are invited to."""
    event = _load_open(ctx, event_id)
    if params.scope == "all":
        series_scope.find_events(ctx, event, "all")
    target = store.target_of(event, params.scope)
    guests, without_address = _guests(ctx, params)
    if len(guests) > MAX_AT_ONCE:
        raise errors.invalid(
            "addresses", gettext("must name at most %(max)s people at once. Invite them in smaller batches", max=MAX_AT_ONCE), "too_many"
        )
    invited = {key for key, row in store.find_by_addresses(ctx, target, guests).items() if row.state != "withdrawn"}
    if target.kind == "event" and event.series_id is not None:
        whole = Target("series", event.series_id)
        invited |= {key for key, row in store.find_by_addresses(ctx, whole, guests).items() if row.state != "withdrawn"}
    new = [guest for key, guest in guests.items() if key not in invited]
    if new:
        policy.require_sending(ctx, event.owner_id)
    reachable = guest_notice.find_reachable(ctx, event, "invitation", [Recipient(guest.address) for guest in new])
    addresses = {each.address for each in reachable}
    addresses -= subscribers.find_suppressed(ctx, event.owner_id, "invitation", addresses)
    guests_to_invite = _limit_per_mailbox(ctx, [guest for guest in new if guest.address in addresses])
    unmailed = _find_unmailed(ctx, event, new) if len(addresses) < len(new) else []
    return event, target, Selection(new, guests_to_invite, len(invited), without_address, unmailed)


def _find_unmailed(ctx: Context, event: Event, guests: list[Invitee]) -> list[Invitee]:
    """Those who want invitations, and whose mailbox got as many in this hour as it may."""
    full = deliveries.find_flooded(ctx, {guest.address for guest in guests}, ("invitation",))
    recipients = {("email", address) for address in full}
    full -= {address for _, address in suppressions.find_suppressed(ctx, event.owner_id, event.id, "invitation", recipients)}
    full -= subscribers.find_suppressed(ctx, event.owner_id, "invitation", full)
    return [guest for guest in guests if guest.address in full]


def resend(ctx: Context, event_id: int, invitation_id: int) -> Invitation:
    """Send the invitation once more, as the event is now. One whose mail is queued is not queued twice."""
    invitation, _ = policy.invitation(ctx, event_id, invitation_id)
    event = _load_open(ctx, event_id)
    if invitation.state == "withdrawn":
        raise errors.Conflict(gettext("This invitation was withdrawn. Invite the address again instead."))
    if invitation.state == "queued":
        return invitation
    policy.require_sending(ctx, event.owner_id)
    recipient = ("email", invitation.address)
    if suppressions.find_suppressed(ctx, event.owner_id, event.id, "invitation", {recipient}):
        raise errors.Conflict(gettext("This address can’t be invited: it doesn’t work, or its owner has stopped invitations."))
    if _is_flooded(ctx, invitation.address):
        raise errors.TooMany(gettext("This address has had too many invitations in the last hour. Try again later."), deliveries.HOUR)
    policy.require_verified_sender(ctx)
    limits.count_invitations(ctx, 1)
    sequence = calendar_part.sequence_of(ctx, event, is_series=invitation.series_id is not None)
    invitation = store.count_mail(ctx, invitation, "queued", max(sequence, invitation.sequence))
    _queue(ctx, event, "invitation", [invitation])
    return invitation


def withdraw(ctx: Context, event_id: int, invitation_id: int, *, is_silent: bool = False) -> None:
    """Take the invitation back, and the event off the guest's calendars. The guest is notified, if the invitation was sent; a response
    stays, and its link no longer shows a private event, also if an editor added the guest.

    is_silent: the guest gets another invitation in its place, whose mail says so."""
    invitation, event = policy.invitation(ctx, event_id, invitation_id)
    if invitation.state != "withdrawn":
        take_back(ctx, invitation, event, is_silent=is_silent)


def take_back(ctx: Context, invitation: Invitation, event: Event, *, is_silent: bool = False) -> None:
    """Take back an invitation that is not withdrawn, without a permission check."""
    # One that is queued may have been sent before.
    was_sent = invitation.state == "sent" or (invitation.state == "queued" and invitation.mails > 1)
    sequence = calendar_part.sequence_of(ctx, event, is_series=invitation.series_id is not None)
    invitation = store.count_mail(ctx, invitation, "withdrawn", max(sequence, invitation.sequence) + 1)
    remove(ctx, invitation)
    responses.withdraw_guest(ctx, store.find_event_ids(ctx, invitation), invitation.email_key)
    if invitation.series_id is not None:
        series_responses.withdraw(ctx, invitation.series_id, invitation.email_key)
    if was_sent and not is_silent and event.start_at > ctx.now and not _is_flooded(ctx, invitation.address):
        _queue(ctx, event, "withdrawal", [invitation])


def _limit_per_mailbox(ctx: Context, guests: list[Invitee]) -> list[Invitee]:
    """As many as one mailbox may get at once: it may have several addresses."""
    if ctx.settings.rate_limits == "off":
        return guests
    within_limit, counts = [], Counter[str]()
    for guest in guests:
        mailbox = deliveries.mailbox(guest.address)
        counts[mailbox] += 1
        if counts[mailbox] <= deliveries.MAX_SENDS_PER_HOUR:
            within_limit.append(guest)
    return within_limit


def _is_flooded(ctx: Context, address: str) -> bool:
    return bool(deliveries.find_flooded(ctx, {address}, ("invitation",)))


def _load_open(ctx: Context, event_id: int) -> Event:
    event = policy.event(ctx, event_id, to=Right.EDIT)
    if event.status == "cancelled":
        raise errors.EventCancelled(gettext("This event has been cancelled, so you can’t invite anyone."))
    if event.is_over(ctx.now) and event.series_id is None:
        raise errors.Conflict(gettext("This event is over, so you can’t invite anyone."))
    return event


def _guests(ctx: Context, params: InvitationInput) -> tuple[dict[str, Invitee], int]:
    """The guests by the keys of their addresses, and how many contacts have no address."""
    if not (params.addresses or params.contact_ids or params.tag):
        raise errors.invalid("addresses", gettext("must have at least one entry, unless you choose contact_ids or a tag"), "required")
    rows: list[Contact] = []
    if params.contact_ids:
        rows = contacts.find_by_ids(ctx, params.contact_ids)
        missing = set(params.contact_ids) - {row.id for row in rows}
        if missing:
            raise errors.invalid("contact_ids", gettext("includes contact %(id)s, which doesn’t exist", id=str(min(missing))), "not_found")
    if params.tag:
        rows += _find_by_tag(ctx, params.tag)
    guests = {fold_case(row.email_address): Invitee(row.email_address, _name(row)) for row in rows if row.email_address}
    for address in params.addresses:
        guests.setdefault(fold_case(address), Invitee(address))
    return guests, len({row.id for row in rows if not row.email_address})


def _find_by_tag(ctx: Context, tag: str) -> list[Contact]:
    try:
        return contacts.index(ctx, ContactFilter(tags=tag), MAX_AT_ONCE + 1)
    except errors.Invalid as error:
        raise errors.invalid("tag", error.errors[0].message, error.errors[0].code) from None


def _name(contact: Contact) -> str | None:
    return " ".join(filter(None, (contact.first_name, contact.last_name))) or None


def _queue(ctx: Context, event: Event, verb: str, invitations: list[Invitation]) -> None:
    """Queue a mail for each of the invitations; those with the same number of mails at once."""
    groups: dict[str, list[Invitation]] = {}
    for invitation in invitations:
        groups.setdefault(store.target(invitation).cause(verb, invitation.mails), []).append(invitation)
    for cause, rows in groups.items():
        recipients = [Recipient(row.address, group="not_answered") for row in rows]
        guest_notice.insert(ctx, event, "invitation", cause, recipients, due_at=ctx.now + ctx.settings.notice_delay)


def remove(ctx: Context, invitation: Invitation) -> None:
    """Take the events of a withdrawn invitation off the guest's calendars, unless another invitation is to them."""
    removed = placements.remove_invited(ctx, store.find_uncovered(ctx, invitation), invitation.email_key)
    write_store.delete_files_of(ctx, removed)
    for calendar_id in store.delete_proposals(ctx, invitation):
        write_store.delete_file_named(ctx, calendar_id, f"invitation-{invitation.id}.ics")


def place(ctx: Context, invitation: Invitation) -> bool:
    """Put what was proposed to the guest, who takes it, on the calendar; False if nothing is. One who may no longer edit the event grants
    nothing by it."""
    proposals, ids = store.accept_proposals(ctx, invitation), store.find_event_ids(ctx, invitation)
    for calendar_id, granted_by in proposals:
        for event_id in ids:
            placements.insert(ctx, event_id, calendar_id, grants=True, granted_by=granted_by, invited_key=invitation.email_key)
    if proposals:
        grants.revoke_for(ctx, ids)
    return bool(proposals)
