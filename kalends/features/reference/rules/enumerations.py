"""The names of enumerations in the OpenAPI document, which generated clients have for them."""

from typing import Any, get_args

from kalends.core.errors import Code
from kalends.core.i18n.catalogs import Language
from kalends.core.records.administration import AuditAction, AuditSubject, AuditVia, Registration, SiteVisibility
from kalends.core.records.change import DisabledReason, JournalKind, JournalOp, Kind, Way, WebhookKind, WebhookState
from kalends.core.records.credentials import KeyScope
from kalends.core.records.delivery import Channel, DeliveryState, Group, GuestGroup, MessageKind, Notice, Purpose, Source
from kalends.core.records.delivery import Reason as SuppressionReason
from kalends.core.records.event import Audience, EventStatus, Visibility
from kalends.core.records.people import AccountStatus, Gender, ResponseNotices, Role, Sending
from kalends.core.records.question import AskedPer, QuestionKind
from kalends.core.records.response import Attendance
from kalends.core.records.response_settings import WaitingList, WaitingOrder
from kalends.core.records.source import PauseReason, RunState, SourceKind
from kalends.features.changes.model import Op
from kalends.features.contacts.model import Service
from kalends.features.events.invitations.model import InvitationState
from kalends.features.events.reminders.model import State as ReminderState
from kalends.features.events.series.model import Frequency
from kalends.features.my_events.model import Show
from kalends.features.reports.model import Reason as ReportReason
from kalends.features.responses.model import PlaceState
from kalends.features.sources.model import State
from kalends.features.webhooks.model import ChangeType
from kalends.http.input.options import split_annotated
from kalends.http.openapi.derived import REF


def _values(kind: Any) -> tuple[str, ...]:
    """The values of a Literal."""
    return get_args(split_annotated(kind)[0])


NAMES: dict[tuple[str, ...], str] = {
    _values(Code): "ErrorCode",
    _values(Kind): "RecordKind",
    _values(Op): "ChangeOp",
    _values(JournalKind): "JournalKind",
    _values(JournalOp): "JournalOp",
    _values(Way): "ChangeWay",
    _values(DisabledReason): "WebhookDisabledReason",
    _values(AuditAction): "AuditAction",
    _values(AuditSubject): "AuditSubject",
    _values(AuditVia): "AuditVia",
    _values(ResponseNotices): "ResponseNotices",
    ("h12", "h23"): "HourCycle",
    ("ok", "wrong", "unknown"): "CheckState",
    ("monday", "saturday", "sunday"): "WeekStart",
    _values(Role): "UserRole",
    _values(Registration): "Registration",
    _values(SiteVisibility): "SiteVisibility",
    _values(Language): "Language",
    _values(AccountStatus): "AccountStatus",
    _values(Sending): "Sending",
    ("waiting",): "RegistrationStatus",
    _values(Group): "ReminderAudience",
    _values(ReminderState): "ReminderState",
    _values(WebhookKind): "WebhookDeliveryKind",
    _values(InvitationState): "InvitationState",
    _values(GuestGroup): "MessageGroup",
    _values(WebhookState): "WebhookDeliveryState",
    _values(Attendance): "Attendance",
    _values(EventStatus): "EventStatus",
    _values(Audience): "WhoKnows",
    _values(Purpose): "SuppressionPurpose",
    _values(ReportReason): "ReportReason",
    _values(SuppressionReason): "SuppressionReason",
    _values(WaitingList): "WaitingList",
    _values(WaitingOrder): "WaitingOrder",
    _values(PlaceState): "PlaceState",
    ("true", "false"): "Truth",
    ("api", "dav"): "KeyKind",
    _values(KeyScope): "KeyScope",
    _values(ChangeType): "WebhookMessageType",
    _values(AuditVia): "AuditVia",
    _values(AuditAction): "AuditAction",
    _values(AuditSubject): "AuditSubject",
    _values(Gender): "Gender",
    _values(Channel): "Channel",
    _values(Notice): "Notice",
    _values(DeliveryState): "DeliveryState",
    _values(MessageKind): "DeliveryKind",
    _values(Source): "SubscriberSource",
    _values(Service): "ContactService",
    ("primary", "imported"): "ContactList",
    _values(Frequency): "Frequency",
    ("skip", "last"): "ShortMonths",
    ("this", "following", "all"): "Scope",
    ("this", "all"): "InvitationScope",
    _values(Show): "MyEventList",
    _values(QuestionKind): "QuestionKind",
    _values(AskedPer): "AskedPer",
    _values(SourceKind): "SourceKind",
    _values(PauseReason): "PauseReason",
    _values(State): "SourceState",
    _values(RunState): "RunState",
    ("keep", "delete"): "FollowedEvents",
    ("public",): "SearchScope",
    _values(Visibility): "Visibility",
    ("start_time", "-start_time"): "EventOrder",
    ("none", "guests", "all"): "Moderation",
    ("on", "off"): "Confirmations",
    ("none", "always"): "ConfirmResponses",
    ("take_over", "keep", "remove"): "LeftEvents",
    ("viewer", "editor", "manager"): "Role",
    ("owner", "manager", "editor", "viewer"): "OwnRole",
}


def name_enumerations(api: dict[str, Any]) -> None:
    """Replace each enumeration by a reference to the one of its name."""
    _replace(api)
    api["components"]["schemas"] |= {name: {"type": "string", "enum": list(values)} for values, name in NAMES.items()}


def _replace(node: Any) -> None:
    if isinstance(node, list):
        for each in node:
            _replace(each)
    elif isinstance(node, dict) and (name := _name_of(node.get("enum"))):
        del node["enum"]
        reference = {"$ref": REF.format(name=name)}
        is_nullable = "null" in node.pop("type", "")
        node.update({"anyOf": [reference, {"type": "null"}]} if is_nullable else reference)
    elif isinstance(node, dict) and len(node.get("enum", ())) == 1:
        node |= {"type": "string", "const": node.pop("enum")[0]}
    elif isinstance(node, dict):
        for each in node.values():
            _replace(each)


def _name_of(enumeration: Any) -> str | None:
    """The order does not matter: msgspec sorts the values."""
    values = {value for value in enumeration if value is not None} if isinstance(enumeration, list) else None
    return next((name for known, name in NAMES.items() if set(known) == values), None)
