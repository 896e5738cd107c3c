"""What pages say on a site that sends no email, in place of the messages that promise one.

A page need not ask which of the two it is: its template and its notices have the message for sites with a mail server, and here is the
other one. It may use the same values."""

from kalends.core.i18n import Text, gettext, ngettext

_CONFIRM = gettext("Almost done. This site sends no email, so ask the organiser to approve your RSVP.")
_LET_THEM_KNOW = gettext("This site sends no email, so let them know yourself.")
_NO_NEWS = gettext("This site sends no email, so nothing would reach you. Follow the calendar in your calendar app instead.")
_NO_GUEST_LINK = gettext("This site sends no email, so you get no link. Ask the organiser to change your RSVP.")
_NO_RESET = gettext("This site sends no email, so you get no link. Ask whoever runs the server to set a new password for you.")
_NOT_SENT = gettext("This site sends no email, so nothing was sent. Copy the link of the event and send it yourself.")
_NOBODY_KNOWS = ngettext(
    "1 person should know, but this site sends no email. Let your guests know yourself.",
    "%(num)s people should know, but this site sends no email. Let your guests know yourself.",
    2,
)
_OUTBOX = gettext("This site sends no email. Whoever runs the server finds your link in its folder outbox.")
_REASON = gettext("Reason for hiding it (its editors see it)")

# By the msgid of what a site with a mail server says.
WITHOUT_EMAIL: dict[str, Text] = {
    # Notices.
    "Message sent.": _NOT_SENT,
    "Sending to 1 person.": ngettext(
        "Not sent to 1 person: this site sends no email. Copy the link of the event and send it yourself.",
        "Not sent to %(num)s people: this site sends no email. Copy the link of the event and send it yourself.",
        2,
    ),
    "1 invitation will be sent in a minute.": ngettext(
        "1 person is invited. This site sends no email, so copy the link of the event and send it yourself.",
        "%(num)s people are invited. This site sends no email, so copy the link of the event and send it yourself.",
        2,
    ),
    "1 person will get an email in a minute.": _NOBODY_KNOWS,
    "1 person will get an email.": _NOBODY_KNOWS,
    "Invitation sent.": gettext("Invited. This site sends no email, so copy the link below and send it yourself."),
    "Almost done: open the link in the email we’ve just sent you and press “Confirm my RSVP”.": _CONFIRM,
    "Almost done: open the link in the email we’ve just sent you.": _NO_NEWS,
    "If this address has an RSVP, we’ve just emailed its link.": _NO_GUEST_LINK,
    "The old link no longer works. We’ve emailed the guest a new one.": gettext(
        "The old link no longer works. This site sends no email, so the guest has no new one. You can change the RSVP for them."
    ),
    "If there is an account with this address, we’ve just emailed it a link.": _NO_RESET,
    "We’ve emailed the link to your address.": _OUTBOX,
    "They get an email and have 14 days to accept. Until then the calendar stays as it is.": gettext(
        "They have 14 days to accept. Until then the calendar stays as it is. This site sends no email, so let them know yourself."
    ),
    "Co-host added. They get an email.": gettext("Co-host added. This site sends no email, so let them know yourself."),
    "Thanks for signing up. An administrator will review your account, and we’ll email you when you can sign in.": gettext(
        "Thanks for signing up. An administrator will review your account. This site sends no email, so come back later and sign in."
    ),
    "Test email sent. Check your inbox.": gettext("This site sends no email. The test is a file in the folder outbox."),
    "Approved. They get an email and can sign in now.": gettext(
        "Approved. They can sign in now. This site sends no email, so let them know yourself."
    ),
    "Declined. They get an email, and their sign-up is deleted.": gettext(
        "Declined. Their sign-up is deleted. This site sends no email, so let them know yourself."
    ),
    "Hidden. Its editors get an email with the reason.": gettext("Hidden. Its editors see the reason on the event page."),
    "Visible again. Its editors get an email.": gettext("Visible again. This site sends no email, so let its editors know yourself."),
    # What guests read.
    "Open the link in the email we’ve just sent you and press “Confirm my RSVP”.": _CONFIRM,
    "Confirm by %(time)s: open the link in the email we sent you and press “Confirm my RSVP”.": gettext(
        "This site sends no email, so ask the organiser to approve your RSVP by %(time)s.", time="%(time)s"
    ),
    "The email we sent you says which spots you have.": gettext("Ask the organiser which spots you have."),
    "Only the organiser can see it. We’ll email you the details.": gettext("Only the organiser can see it."),
    "We emailed the details to %(address)s.": gettext("This site sends no email. In this browser, you can change your RSVP here."),
    "1 spot is free and you are %(people)s. We’ll email you as soon as there’s room for all of you.": ngettext(
        "1 spot is free and you are %(people)s. Come back to see whether there’s room for all of you.",
        "%(num)s spots are free and you are %(people)s. Come back to see whether there’s room for all of you.",
        2,
        people="%(people)s",
    ),
    "The one you used to RSVP. We’ll email your personal link to it.": _NO_GUEST_LINK,
    "We’ll email you a link to confirm, then whatever %(name)s announces. Every email has an unsubscribe link.": _NO_NEWS,
    'New events appear in your calendar app. For emails, choose an <a href="/organisers">organiser</a>.': gettext(
        "New events appear in your calendar app."
    ),
    "Anyone with this link can change your RSVP. We email you a new link, and the old one stops working.": gettext(
        "Anyone with this link can change your RSVP. If you stop it, you get no new one, since this site sends no email."
    ),
    "Send me a new link": gettext("Stop this link"),
    "Check your email for the new link": gettext("The link no longer works"),
    "The old link no longer works. We’ve emailed a new one to %(address)s.": gettext(
        "The old link no longer works. This site sends no email, so ask the organiser to change your RSVP."
    ),
    # What people with an account read.
    "Your address %(address)s isn’t confirmed yet. Open the link we emailed you. Until then, nobody can find you by it and you won’t get "
    "notifications.": gettext(
        "Your address %(address)s isn’t confirmed yet. Until it is, nobody can find you by it. This site sends no email. Whoever runs the "
        "server finds your link in its folder outbox.",
        address="%(address)s",
    ),
    "We’ve emailed a link to %(address)s. Until you open it, you get no notices.": _OUTBOX,
    "The link has been sent several times within the hour. Check your inbox and spam folder, or try again later.": _OUTBOX,
    "Enter your username or email address, and we’ll email you a link to choose a new password. It works once, for an hour.": _NO_RESET,
    "Only needed to change your email address. We’ll email a link to the new address and a notice to the old one.": gettext(
        "Only needed to change your email address."
    ),
    "Only sent to a confirmed address.": gettext("This site sends no email, so you get none."),
    "An administrator reviews each new account. We’ll email you when you can sign in.": gettext(
        "An administrator reviews each new account. This site sends no email, so come back later and sign in."
    ),
    "This passkey may have been copied, so it doesn’t sign in. We’ve sent you an email.": gettext(
        "This passkey may have been copied, so it doesn’t sign in."
    ),
    "Guests of upcoming events that are deleted, and people who follow these calendars, get an email.": gettext(
        "This site sends no email, so let the guests of your upcoming events know yourself."
    ),
    # What organisers read.
    "They get an email.": _LET_THEM_KNOW,
    "They get an email. An address without an account can sign up with it.": gettext(
        "This site sends no email, so let them know yourself. An address without an account can sign up with it."
    ),
    "A username. They own it then, and get an email.": gettext(
        "A username. They own it then. This site sends no email, so let them know yourself."
    ),
    "They count once the guest opens the link in our email, or you approve them.": gettext(
        "They count once you approve them. This site sends no email, so guests get no link to confirm with."
    ),
    "1 person will soon get an email about your change": ngettext(
        "1 person doesn’t know about your change: this site sends no email",
        "%(num)s people don’t know about your change: this site sends no email",
        2,
    ),
    "1 person will be emailed: %(groups)s.": ngettext(
        "1 person would be emailed: %(groups)s.", "%(num)s people would be emailed: %(groups)s.", 2, groups="%(groups)s"
    ),
    "Shown on the page and in the email.": gettext("Shown on the page."),
    "Their links no longer show private events. Invited people are notified.": gettext(
        "Their links no longer show private events. This site sends no email, so let them know yourself."
    ),
    "Anyone with the link can change the RSVP. If the wrong person has it, send the guest a new one. The old link stops working.": gettext(
        "Anyone with the link can change the RSVP. If the wrong person has it, stop it. The guest gets no new one, since this site sends "
        "no email, but you can change the RSVP for them."
    ),
    "Email a new link": gettext("Stop the link"),
    '“%(title)s” will be sent to everyone on your <a href="/subscribers">subscriber list</a> who has confirmed and hasn’t been sent it '
    "before.": gettext(
        'This site sends no email, so “%(title)s” would reach nobody on your <a href="/subscribers">subscriber list</a>.', title="%(title)s"
    ),
    # What administrators read.
    "Administrators change the site’s settings, hide events, suspend and delete accounts, and appoint other administrators. All "
    "administrators get an email about it.": gettext(
        "Administrators change the site’s settings, hide events, suspend and delete accounts, and appoint other administrators."
    ),
    "Reason for hiding it (sent to its editors)": _REASON,
    "They get it by email and see it on the event page.": gettext("They see it on the event page."),
    "People you invite get an email with a link to create an account. It works once and expires in two weeks.": gettext(
        "People you invite create an account with a link. It works once and expires in two weeks. This site sends no email, so copy the "
        "link and send it yourself."
    ),
    "Send invitation": gettext("Invite"),
    "You get an email when someone is waiting.": gettext("The page People shows who is waiting."),
}
