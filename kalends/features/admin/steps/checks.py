"""What an admin should know of the installation, each with what to do: `kalends doctor` prints it, and a page shows it."""

import json
from typing import Any
from urllib.parse import urlsplit

from kalends.core.i18n import Text, gettext, ngettext
from kalends.core.net.http_client import ProviderSession, ProviderUnavailable, UnexpectedReply
from kalends.core.net.mail_domain import NotAsked, find_problems
from kalends.core.settings import Settings, variable
from kalends.core.transports import mail_server, sender
from kalends.core.version import __version__
from kalends.db import last_runs
from kalends.db.backup import daily
from kalends.features.admin.model import CheckItem
from kalends.http.context import Caller, Context

DAY = 86_400
# Those who back up once a week have not forgotten it.
OLD_BACKUP = 8 * DAY
# The clocks of several servers differ by less.
CLOCK_TOLERANCE = 120
# Somebody waits for the reply.
SECONDS = 5


def check_records(ctx: Context) -> list[CheckItem]:
    """What the database knows: the newest backup, and whether the clock has gone back."""
    return [_backup(ctx), _clock(ctx)]


def check_settings(settings: Settings) -> list[CheckItem]:
    """What the settings and the network say: the proxy, the sender's domain, and, if it is switched on, the newest version."""
    return [_proxy(settings), *_sender_domain(settings), *_version(settings)]


def check_request(settings: Settings, caller: Caller) -> list[CheckItem]:
    """What a request that came through the proxy says."""
    return [_host(settings, caller), *_forwarded(settings, caller)]


def check_base_url(settings: Settings) -> list[CheckItem]:
    """Whether the service is at its public URL, asked from here."""
    name, url = gettext("Base URL"), settings.url
    if not settings.base_url:
        advice = gettext(
            "Links begin with %(url)s, which others may not be able to open. Set %(variable)s to the address at which they reach the site.",
            url=url,
            variable=variable("base_url"),
        )
        return [CheckItem(name, "unknown", advice)]
    try:
        content = _get(f"{url}/healthz")
    except (ProviderUnavailable, UnexpectedReply) as error:
        advice = gettext(
            "%(url)s cannot be asked from here: %(reason)s. "
            "Start the service, and check its name in the DNS, the certificate and the proxy.",
            url=url,
            reason=str(error),
        )
        return [CheckItem(name, "unknown", advice)]
    if content.get("status") == "alive":
        return [CheckItem(name, "ok")]
    other = gettext(
        "Something else than Kalends answers at %(url)s. Check the proxy, and %(variable)s.", url=url, variable=variable("base_url")
    )
    return [CheckItem(name, "wrong", other)]


def _backup(ctx: Context) -> CheckItem:
    taken_at, failure = last_runs.find(ctx.tx, "backup"), daily.find_failure(ctx.tx) if ctx.settings.backup else None
    if failure and failure[0] >= (taken_at or 0):
        advice = gettext("The daily backup failed: %(reason)s The worker tries again each hour.", reason=failure[1])
        return CheckItem(gettext("Backup"), "wrong", advice)
    old = 2 * DAY if ctx.settings.backup else OLD_BACKUP
    if taken_at is None:
        return CheckItem(gettext("Backup"), "unknown", _no_backup(ctx.settings))
    if ctx.now - taken_at < old:
        return CheckItem(gettext("Backup"), "ok")
    days = (ctx.now - taken_at) // DAY
    return CheckItem(
        gettext("Backup"),
        "wrong",
        ngettext("The last backup is a day old.", "The last backup is %(num)s days old. Run 'kalends backup' each night.", days),
    )


def _no_backup(settings: Settings) -> Text:
    if settings.backup:
        return gettext("There is no backup yet. The worker takes the first one within a day.")
    return gettext(
        "There is no backup yet. Set %(variable)s=daily:7 for one each day, or run 'kalends backup' each night.",
        variable=variable("backup"),
    )


def _clock(ctx: Context) -> CheckItem:
    latest = max(last_runs.find(ctx.tx, "worker") or 0, last_runs.find(ctx.tx, "backup") or 0)
    if latest <= ctx.now + CLOCK_TOLERANCE:
        return CheckItem(gettext("Clock"), "ok")
    return CheckItem(
        gettext("Clock"),
        "wrong",
        gettext("The clock of this machine is behind what the database has: reminders would be late. Switch on its time synchronisation."),
    )


def _proxy(settings: Settings) -> CheckItem:
    if settings.https and not settings.trusted_proxies:
        return CheckItem(
            gettext("Proxy"),
            "wrong",
            gettext(
                "The site is at https, so there is a proxy, but %(variable)s does not name it: all guests count as one network and share "
                "its limits. Set it to the proxy’s address, such as 127.0.0.1.",
                variable=variable("trusted_proxies"),
            ),
        )
    return CheckItem(gettext("Proxy"), "ok")


def _host(settings: Settings, caller: Caller) -> CheckItem:
    expected, host = urlsplit(settings.url).netloc, caller.headers.get("host", "")
    if host.lower() == expected.lower():
        return CheckItem(gettext("Base URL"), "ok")
    return CheckItem(
        gettext("Base URL"),
        "wrong",
        gettext(
            "This page was asked for at %(host)s, but links lead to %(url)s. Set %(variable)s to the address that people use, and let the "
            "proxy pass the header Host on.",
            host=host,
            url=settings.url,
            variable=variable("base_url"),
        ),
    )


def _forwarded(settings: Settings, caller: Caller) -> list[CheckItem]:
    has_field = "x-forwarded-for" in caller.headers
    if settings.trusted_proxies and not has_field:
        return [
            CheckItem(
                "X-Forwarded-For",
                "wrong",
                gettext("This page came without the header X-Forwarded-For. Let the proxy set it, or all guests count as one network."),
            )
        ]
    if has_field and not settings.trusted_proxies:
        return [
            CheckItem(
                "X-Forwarded-For",
                "wrong",
                gettext(
                    "A proxy sends X-Forwarded-For, which is ignored because %(variable)s does not name the proxy’s address.",
                    variable=variable("trusted_proxies"),
                ),
            )
        ]
    return [CheckItem("X-Forwarded-For", "ok")] if has_field else []


def _sender_domain(settings: Settings) -> list[CheckItem]:
    """Nothing where mail is written to files."""
    if mail_server(settings.email) is None:
        return []
    domain = sender(settings.email_from, settings.url).domain
    try:
        problems = find_problems(domain)
    except NotAsked:
        return [
            CheckItem(
                "SPF, DKIM, DMARC",
                "unknown",
                gettext(
                    "The DNS does not answer, so SPF, DKIM and DMARC of %(domain)s are not checked. Check the resolver of this machine.",
                    domain=domain,
                ),
            )
        ]
    return [CheckItem(name, "wrong" if problem else "ok", problem) for name, problem in problems.items()]


def _version(settings: Settings) -> list[CheckItem]:
    """Asks only if the operator has named whom to ask."""
    if not settings.updates_url:
        return []
    try:
        newest = str(_get(settings.updates_url)["info"]["version"])
    except (ProviderUnavailable, UnexpectedReply, KeyError, TypeError) as error:
        return [CheckItem(gettext("Version"), "unknown", gettext("The newest version is not known: %(reason)s.", reason=str(error)))]
    if newest == __version__:
        return [CheckItem(gettext("Version"), "ok")]
    return [
        CheckItem(
            gettext("Version"),
            "unknown",
            gettext(
                "The newest version is %(newest)s, and this is %(version)s. Read its changes, and upgrade.",
                newest=newest,
                version=__version__,
            ),
        )
    ]


def _get(url: str) -> dict[str, Any]:
    """The JSON object at a URL."""
    with ProviderSession(SECONDS) as session:
        response = session.open(url).request("GET", url).expect(200)
    try:
        content = json.loads(response.body)
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise UnexpectedReply("it did not respond with a JSON object")
    return content
