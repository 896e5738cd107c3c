"""Every setting once: name, type, default and meaning; read from the command, the environment and kalends.toml."""

import os
import re
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from kalends.core import oidc_providers
from kalends.core.i18n.catalogs import Language
from kalends.core.limit_presets import PRESETS, Preset
from kalends.core.transports import FILES, check_inbound_domain, inbound_domain, mail_server, mailbox, sender, twilio
from kalends.core.values import phone, text
from kalends.core.values.datetimes import known_zones

PREFIX = "KALENDS_"
FILE = "kalends.toml"
# The settings that may hold a secret: hidden from `kalends settings`, and read from a file that KALENDS_<NAME>_FILE names.
SECRETS = ("secret", "database", "replicas", "metrics_token", "email", "inbound", "sms", "oidc")
COLOR = re.compile(r"#[0-9a-fA-F]{6}")
# In the setting of the countries to which SMS are sent.
ALL_COUNTRIES = "*"
# In the setting of the push services.
ALL_PUSH_SERVERS = "*"
# A host in lower case, with a port unless it is 443.
HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[1-9][0-9]{0,4})?")
WEB_ADDRESS = re.compile(r"https?://[^\s/]\S*")
# How many daily backups are kept.
BACKUP = r"daily:([1-9][0-9]{0,2})"
# As browsers send it: without a path or a slash at the end, in lower case.
ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/@?#A-Z]+")


class WrongSetting(Exception):
    """An invalid setting: the service does not start, and this line names the setting."""


class Settings(Struct, frozen=True, kw_only=True, cache_hash=True):
    """Every setting, with its default. The Meta description is its documentation."""

    base_url: Annotated[str, Meta(description="Public URL of the service; all links are built from it. Default: http://HOST:PORT.")] = ""
    # The settings of the site are set on a page unless they are set here (kalends/web/site_store.py).
    site_name: Annotated[str, Meta(description="Name of the site, at the top of its pages and in its feeds; else an admin sets it.")] = ""
    site_headline: Annotated[str, Meta(description="Title of the start page; else an admin sets it.")] = ""
    site_line: Annotated[
        str, Meta(description="A line below the title of the start page that says what the site is; else an admin sets it.")
    ] = ""
    banner: Annotated[str, Meta(description="A line at the top of every page, such as a notice of maintenance.")] = ""
    accent_color: Annotated[str, Meta(description="Colour of links and buttons, such as `#2a5db0`; else an admin sets it.")] = ""
    language: Annotated[
        Literal["", Language],
        Meta(
            description="Language of pages for guests whose browser asks for none that there is, and of mail to people who chose none; "
            "else an admin sets it."
        ),
    ] = ""
    imprint_url: Annotated[str, Meta(description="URL of the imprint, at the foot of each page; else an admin sets it.")] = ""
    privacy_url: Annotated[str, Meta(description="URL of the privacy policy, at the foot of each page; else an admin sets it.")] = ""
    host: Annotated[str, Meta(description="Address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535, description="Port to listen on.")] = 8000
    workers: Annotated[int, Meta(ge=1, le=64, description="Number of server processes.")] = 1
    threads: Annotated[int, Meta(ge=1, le=256, description="Threads per server process that run requests.")] = 8
    queue: Annotated[int, Meta(ge=1, le=100_000, description="Requests per process that may wait for a thread; others get 503.")] = 1_024
    body_timeout: Annotated[
        int,
        Meta(
            ge=1,
            le=600,
            description="Seconds in which a client must send a body of up to 64 KiB. Larger bodies get ten times as long, "
            "if at least 5 KiB arrive every 5 seconds.",
        ),
    ] = 30
    read_timeout: Annotated[
        int, Meta(ge=1, le=600, description="Seconds after which a statement that only reads is cancelled; the request gets 503.")
    ] = 5
    drain: Annotated[
        int,
        Meta(
            ge=0,
            le=600,
            description="Seconds for which a stopping server serves on while `/readyz` is 503, so that load balancers stop choosing it.",
        ),
    ] = 0
    history_days: Annotated[
        int, Meta(ge=1, le=3_650, description="Days for which changes can be followed and undone, and deleted events restored.")
    ] = 90
    backup: Annotated[
        str,
        Meta(
            description="`daily:7` lets the worker take and verify a backup each day, in `backups` in the data folder, and keep the newest "
            "seven; empty: it takes none."
        ),
    ] = ""
    webhooks: Annotated[
        Literal["public", "any", "off"],
        Meta(
            description="Where webhooks may send to: `public` addresses of the Internet over https, `any` address (your own network "
            "too, and http to this machine), or `off`."
        ),
    ] = "public"
    sources: Annotated[
        Literal["public", "any", "off"],
        Meta(
            description="Where calendars may be followed: at `public` addresses of the Internet over https, at `any` address (your own "
            "network too, and http to this machine), or `off`."
        ),
    ] = "public"
    push_servers: Annotated[
        str,
        Meta(
            description="Comma-separated hosts of push services by which devices may be told of changes (WebDAV-Push); `*` for all at "
            "public addresses of the Internet; empty: devices ask for changes themselves."
        ),
    ] = "fcm.googleapis.com,updates.push.services.mozilla.com,ntfy.sh"
    data: Annotated[str, Meta(description="Folder of the SQLite database, the outbox and the server's secret (mode 0700).")] = "./data"
    database: Annotated[str, Meta(description="`postgresql://…` to use PostgreSQL; empty for SQLite in the data folder.")] = ""
    pooler: Annotated[
        Literal["on", "off"],
        Meta(description="`on` if `KALENDS_DATABASE` leads to PgBouncer with transaction pooling: its user must have the settings then."),
    ] = "off"
    replicas: Annotated[
        str,
        Meta(
            description="`postgresql://…` with the hosts of PostgreSQL replicas, from which requests read; empty to read from the primary."
        ),
    ] = ""
    replica_lag: Annotated[
        int,
        Meta(ge=1, le=30, description="Seconds by which a replica may lag behind the primary; until it is nearer, nothing reads from it."),
    ] = 5
    secret: Annotated[
        str,
        Meta(
            description="The server's secret, at least 32 characters. Default: generated at the first start and stored in the data folder."
        ),
    ] = ""
    time_zone: Annotated[
        str,
        Meta(
            description="Time zone in which guests see times until they choose another one, such as `Europe/Paris`; else an admin sets it."
        ),
    ] = ""
    registration: Annotated[
        Literal["", "open", "approval", "invitation", "closed"],
        Meta(
            description="Who can register: everybody, everybody whom an admin approves, who is invited, or nobody; else an admin sets it."
        ),
    ] = ""
    passwords: Annotated[
        Literal["on", "off"],
        Meta(
            description="`off` refuses passwords and registration: people sign in with OpenID Connect or a passkey. "
            "The password of `KALENDS_EMERGENCY_ADMIN` still works."
        ),
    ] = "on"
    emergency_admin: Annotated[
        str,
        Meta(
            description="User name of the admin whose password works also with `KALENDS_PASSWORDS=off`, at `/sign-in/emergency`: for when "
            "the provider is down."
        ),
    ] = ""
    oidc: Annotated[
        str,
        Meta(
            description="Providers of OpenID Connect, as TOML with a table for each (docs/sign-in.md). Usually in a file that "
            "`KALENDS_OIDC_FILE` names."
        ),
    ] = ""
    limits: Annotated[
        Literal["", Preset],
        Meta(
            description="Limits that suit a `family`, a `club` or a site for everyone (`public`): defaults of those below, and of who can "
            "register until an admin says so."
        ),
    ] = ""
    rate_limits: Annotated[
        Literal["on", "off"], Meta(description="Whether guests' writes and searches, failed logins and outgoing messages are rate-limited.")
    ] = "on"
    guest_writes_per_minute: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Writes per minute without an account, for each network (IPv4 address or IPv6 /64).")
    ] = 300
    guest_writes_per_event_per_hour: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Responses, comments and reports per hour to one event without an account.")
    ] = 2_000
    guest_searches_per_minute: Annotated[
        int,
        Meta(ge=1, le=1_000_000, description="Searches per minute without an account, for each network and server process."),
    ] = 300
    guest_sends_per_hour: Annotated[
        int, Meta(ge=0, le=10_000_000, description="Messages per hour on behalf of the guests of one network; 0 allows none.")
    ] = 120
    guest_sms_per_day: Annotated[
        int, Meta(ge=0, le=10_000_000, description="SMS per day on behalf of the guests of one network; 0 allows none.")
    ] = 5
    account_sends_per_hour: Annotated[
        int, Meta(ge=0, le=10_000_000, description="Messages per hour on behalf of one account, not counting announcements; 0 allows none.")
    ] = 100
    account_sends_per_day: Annotated[
        int, Meta(ge=0, le=10_000_000, description="Messages per day on behalf of one account, not counting announcements; 0 allows none.")
    ] = 300
    notice_delay: Annotated[
        int,
        Meta(
            ge=0,
            le=86_400,
            description="Seconds for which messages about changes, cancellations and invitations wait: the changes of an event in this "
            "time are one message to its guests, and what is undone in time notifies nobody.",
        ),
    ] = 60
    account_announcements_per_day: Annotated[
        int,
        Meta(ge=0, le=10_000_000, description="Addresses per day to which one account announces events and new dates; 0 allows none."),
    ] = 5_000
    account_invitations_per_day: Annotated[
        int, Meta(ge=0, le=10_000_000, description="Invitations per day that one account sends; 0 allows none.")
    ] = 2_000
    account_sms_per_day: Annotated[
        int, Meta(ge=0, le=10_000_000, description="SMS per day on behalf of one account, announcements included; 0 allows none.")
    ] = 100
    emails_per_day: Annotated[
        int,
        Meta(ge=0, le=10_000_000, description="E-mails per day of the whole installation, not counting password resets; 0 allows none."),
    ] = 20_000
    sms_per_day: Annotated[int, Meta(ge=0, le=10_000_000, description="SMS per day of the whole installation; 0 allows none.")] = 500
    quota_events: Annotated[
        int, Meta(ge=0, le=100_000_000, description="Events per account, including occurrences of series; 0: no limit.")
    ] = 50_000
    quota_contacts: Annotated[int, Meta(ge=0, le=100_000_000, description="Contacts per account; 0: no limit.")] = 50_000
    quota_calendars: Annotated[int, Meta(ge=0, le=100_000_000, description="Calendars per account; 0: no limit.")] = 200
    quota_sessions: Annotated[
        int,
        Meta(ge=0, le=100_000_000, description="Sessions per account; a further login ends the least recently used one; 0: no limit."),
    ] = 100
    quota_megabytes: Annotated[
        int, Meta(ge=0, le=100_000_000, description="Megabytes of text in the events and contacts of an account; 0: no limit.")
    ] = 200
    quota_picture_megabytes: Annotated[
        int, Meta(ge=0, le=100_000_000, description="Megabytes of pictures that an account has uploaded; 0: no limit.")
    ] = 500
    foreign_pictures: Annotated[
        Literal["on", "off"],
        Meta(description="Whether pages show pictures that are elsewhere: the browsers of all visitors then load them from there."),
    ] = "off"
    cors_origins: Annotated[
        str,
        Meta(
            description="Comma-separated origins whose scripts may call the API, without cookies; `*` lets all sites read what guests can."
        ),
    ] = ""
    trusted_proxies: Annotated[
        str, Meta(description="Comma-separated addresses or networks of proxies whose X-Forwarded-For is trusted.")
    ] = ""
    google_carddav_url: Annotated[str, Meta(description="CardDAV URL of Google, for importing contacts.")] = (
        "https://www.googleapis.com/.well-known/carddav"
    )
    yahoo_carddav_url: Annotated[str, Meta(description="CardDAV URL of Yahoo, for importing contacts.")] = (
        "https://carddav.address.yahoo.com/"
    )
    graph_url: Annotated[str, Meta(description="Address of Microsoft Graph, for importing Outlook contacts.")] = (
        "https://graph.microsoft.com/v1.0"
    )
    graph_login_url: Annotated[str, Meta(description="Microsoft's login URL; the last part is the tenant.")] = (
        "https://login.microsoftonline.com/organizations"
    )
    graph_client_id: Annotated[
        str, Meta(description="Id of the application that you registered with Microsoft; without it, Outlook imports need an access token.")
    ] = ""
    email: Annotated[
        str, Meta(description="Mail server: `smtp://user:password@host:port`, `smtps://…`, or `files` to write e-mail to the outbox.")
    ] = FILES
    email_from: Annotated[str, Meta(description="Sender of e-mail. Default: Kalends <kalends@HOST>, with the host of the public URL.")] = ""
    inbound: Annotated[
        str,
        Meta(
            description="Where replies to invitations arrive: `imaps://user:password@host/folder`, `pipe` if your mail server runs "
            "`kalends receive`, or empty for none."
        ),
    ] = ""
    inbound_domain: Annotated[
        str, Meta(description="Domain of the addresses reply+…@DOMAIN, to which guests reply. Default: the domain of the sender.")
    ] = ""
    sms: Annotated[str, Meta(description="SMS service: `twilio://sid:token@host?from=+1…`, or `files` to write SMS to the outbox.")] = FILES
    sms_countries: Annotated[
        str,
        Meta(
            description="Comma-separated countries to whose mobile phones SMS are sent, such as `FR,DE`; `*` for all. Default: the country "
            "of the site's time zone."
        ),
    ] = ""
    updates_url: Annotated[
        str,
        Meta(
            description="Where the page of the service's health asks for the newest version, such as "
            "`https://pypi.org/pypi/kalends/json`; if empty, it asks nobody."
        ),
    ] = ""
    metrics_token: Annotated[str, Meta(description="Bearer token for /metrics; if empty, /metrics does not exist.")] = ""
    traces: Annotated[
        str,
        Meta(description="Address of an OpenTelemetry collector that takes traces by OTLP over HTTP, such as `http://127.0.0.1:4318`."),
    ] = ""
    log_format: Annotated[
        Literal["auto", "json", "console"], Meta(description="`auto` is `console` on a terminal and `json` elsewhere.")
    ] = "auto"
    log_addresses: Annotated[
        Literal["on", "off"],
        Meta(description="Whether log lines contain the client's network (IPv4 address or IPv6 /64), as fail2ban needs."),
    ] = "on"
    access_log: Annotated[Literal["on", "off"], Meta(description="Whether each request is logged.")] = "on"

    @property
    def url(self) -> str:
        """The base address, without a slash at the end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.base_url.rstrip("/") or f"http://{host}:{self.port}"

    @property
    def https(self) -> bool:
        return self.url.startswith("https://")

    def sends(self, channel: Literal["email", "sms"]) -> bool:
        """Whether its messages leave; otherwise they are written to files, and reach nobody."""
        return str(getattr(self, channel)) != FILES

    @property
    def folder(self) -> Path:
        return Path(self.data)


# The settings whose values are read by kalends/core/transports.py and kalends/core/oidc_providers.py.
TRANSPORTS: dict[str, Callable[[Settings], object]] = {
    "email": lambda settings: mail_server(settings.email),
    "email_from": lambda settings: sender(settings.email_from, settings.url),
    "inbound": lambda settings: mailbox(settings.inbound),
    "inbound_domain": lambda settings: check_inbound_domain(
        settings.inbound, inbound_domain(settings.inbound_domain, settings.email_from, settings.url)
    ),
    "sms": lambda settings: twilio(settings.sms),
    "oidc": lambda settings: oidc_providers.read(settings.oidc),
}


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + name.upper()


def load(options: dict[str, Any] | None = None) -> Settings:
    """The settings in force: the command's options win, then the environment, then kalends.toml."""
    values = _from_file() | _from_environment()
    values |= {name: value for name, value in (options or {}).items() if value is not None}
    unknown = sorted(set(values) - set(Settings.__struct_fields__))
    if unknown:
        raise WrongSetting(f"There is no setting called {unknown[0]}; 'kalends settings' lists them all.")
    converted = {name: _convert(name, value) for name, value in values.items()}
    return _build(PRESETS[converted.get("limits", "")] | converted)


def export(settings: Settings) -> None:
    """Put the settings into the environment, for the processes that this one starts."""
    for name in Settings.__struct_fields__:
        os.environ[variable(name)] = str(getattr(settings, name))


def meaning(name: str) -> str:
    """The documentation of a setting."""
    return str(_hint(name).__metadata__[0].description)


def choices(name: str) -> str:
    """What a setting may be, for people."""
    hint = _hint(name)
    if hint.__origin__ is int:
        return f"a whole number from {hint.__metadata__[0].ge} to {hint.__metadata__[0].le}"
    return " | ".join(filter(None, hint.__origin__.__args__)) if hasattr(hint.__origin__, "__args__") else "text"


def _hint(name: str) -> Any:
    return get_type_hints(Settings, include_extras=True)[name]


def _from_file() -> dict[str, Any]:
    file = os.environ.get(variable("file"))
    path = Path(file or FILE)
    try:
        if not file and not path.exists():
            return {}
        return {name.lower(): value for name, value in tomllib.loads(path.read_text()).items()}
    except OSError as error:
        raise WrongSetting(f"{variable('file')}: {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise WrongSetting(f"{path} cannot be read: {error}.") from None


def _from_environment() -> dict[str, Any]:
    names = {variable(name): name for name in Settings.__struct_fields__}
    files = {f"{variable(name)}_FILE": name for name in SECRETS}
    unknown = sorted(v for v in os.environ if v.startswith(PREFIX) and v not in {*names, *files, variable("file")})
    if unknown:
        raise WrongSetting(f"There is no setting {unknown[0]}; 'kalends settings' lists them all.")
    from_files = {name: _read_secret(v, os.environ[v]) for v, name in files.items() if v in os.environ}
    return from_files | {names[v]: value for v, value in os.environ.items() if v in names}


def _read_secret(name: str, path: str) -> str:
    """The content of a file that a variable names, as container engines and systemd hand secrets over."""
    try:
        return Path(path).read_text().strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise WrongSetting(f"{name}: {path} cannot be read: {reason}.") from None


def _convert(name: str, value: Any) -> Any:
    try:
        return msgspec.convert(value, _hint(name), strict=False)
    except (msgspec.ValidationError, UnicodeEncodeError):
        raise WrongSetting(f"{variable(name)} is {value!r}, and must be {choices(name)}. {meaning(name)}") from None


def _build(values: dict[str, Any]) -> Settings:
    settings = Settings(**values)
    _check_addresses(settings)
    _check_database(settings)
    _check_traces(settings)
    if settings.secret and len(settings.secret) < 32:
        raise WrongSetting(f"{variable('secret')} must have at least 32 characters.")
    if settings.backup and not re.fullmatch(BACKUP, settings.backup):
        raise WrongSetting(
            f"{variable('backup')} is {settings.backup!r}, and must be empty or look like daily:7, with at most 999 backups."
        )
    if settings.time_zone and settings.time_zone not in known_zones():
        raise WrongSetting(f"{variable('time_zone')} is {settings.time_zone!r}, and must be an IANA time zone such as Europe/Paris.")
    if settings.accent_color and not COLOR.fullmatch(settings.accent_color):
        raise WrongSetting(f"{variable('accent_color')} is {settings.accent_color!r}, and must be a colour such as #2a5db0.")
    if not re.search(text.DISPLAY_NAME, settings.site_name):
        raise WrongSetting(f"{variable('site_name')} {text.DISPLAY_NAME_REFUSAL}.")
    for country in listed(settings.sms_countries):
        if country not in (ALL_COUNTRIES, *phone.countries()):
            raise WrongSetting(f"{variable('sms_countries')} has {country!r}, and must have codes of countries such as FR,DE, or be *.")
    for network in listed(settings.trusted_proxies):
        try:
            ip_network(network, strict=False)
        except ValueError:
            raise WrongSetting(f"{variable('trusted_proxies')} has {network!r}, which is no address or network.") from None
    for host in listed(settings.push_servers):
        if host != ALL_PUSH_SERVERS and not HOST.fullmatch(host):
            raise WrongSetting(
                f"{variable('push_servers')} has {host!r}, and must have hosts such as ntfy.sh or push.example.org:8443, or be *."
            )
    for origin in listed(settings.cors_origins):
        if origin != "*" and not ORIGIN.fullmatch(origin):
            raise WrongSetting(f"{variable('cors_origins')} has {origin!r}, and must have origins such as https://example.org, or *.")
    for name, reader in TRANSPORTS.items():
        try:
            reader(settings)
        except ValueError as error:
            raise WrongSetting(f"{variable(name)} {error}.") from None
    return settings


def _check_addresses(settings: Settings) -> None:
    if not _is_base(settings.url):
        if not settings.base_url:
            raise WrongSetting(f"{variable('host')} is {settings.host!r}, and no address to listen on.")
        raise WrongSetting(f"{variable('base_url')} is {settings.base_url!r}, and must look like https://calendar.example.org.")
    for name in ("imprint_url", "privacy_url"):
        if getattr(settings, name) and not WEB_ADDRESS.fullmatch(getattr(settings, name)):
            raise WrongSetting(f"{variable(name)} must be an address that begins with https:// or http://.")
    for name in ("google_carddav_url", "yahoo_carddav_url", "graph_url", "graph_login_url", "updates_url"):
        if (getattr(settings, name) or name != "updates_url") and not _is_address(getattr(settings, name)):
            raise WrongSetting(f"{variable(name)} must be an address that begins with https:// or http://, without a password or a query.")


def _check_traces(settings: Settings) -> None:
    if settings.traces and not _is_address(settings.traces):
        raise WrongSetting(f"{variable('traces')} must be an address that begins with https:// or http://, without a password or a query.")
    if settings.traces and not _has_opentelemetry():
        raise WrongSetting(f"{variable('traces')} needs OpenTelemetry: pip install 'kalends[opentelemetry]'.")


def _has_opentelemetry() -> bool:
    try:
        return find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:
        return False


def _check_database(settings: Settings) -> None:
    if settings.database and not settings.database.startswith(("postgresql://", "postgres://")):
        raise WrongSetting(f"{variable('database')} must begin with postgresql://, or be empty for SQLite.")
    if settings.replicas and not (settings.database and settings.replicas.startswith(("postgresql://", "postgres://"))):
        raise WrongSetting(f"{variable('replicas')} must begin with postgresql://, and needs {variable('database')}.")


def _is_base(url: str) -> bool:
    try:
        base = urlsplit(url)
        (base.hostname or "").encode("idna")
        known = base.scheme in ("http", "https") and base.hostname and (base.port or 0) < 65536
        return bool(known) and [url] == url.split() == [f"{base.scheme}://{base.netloc}"]
    except ValueError:
        return False


def _is_address(url: str) -> bool:
    """Whether this is an http(s) URL without user information, query and fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    is_plain = "@" not in parts.netloc and not parts.query and not parts.fragment
    return is_plain and url.split() == [url] and _is_base(f"{parts.scheme}://{parts.netloc}")


def listed(value: str) -> list[str]:
    """The items of a comma-delimited setting."""
    return [item.strip() for item in value.split(",") if item.strip()]
