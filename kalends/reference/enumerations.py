"""The names of enumerations in the OpenAPI document, which generated clients have for them."""

from typing import Any, get_args

from kalends.changes.model import Op
from kalends.contacts.model import Service
from kalends.errors import Code
from kalends.events.invitations.model import InvitationState
from kalends.events.messages.model import MessageGroup
from kalends.events.reminders.model import State as ReminderState
from kalends.events.series.model import Frequency
from kalends.http.input.options import split_annotated
from kalends.http.openapi.derived import REF
from kalends.i18n.catalogs import Language
from kalends.records.audit_entry import AuditAction, AuditSubject, AuditVia
from kalends.records.change import JournalKind, JournalOp, Kind, Way
from kalends.records.contact import Gender
from kalends.records.delivery import Channel, DeliveryState, MessageKind, Notice
from kalends.records.event import EventStatus, Visibility
from kalends.records.question import AskedPer, QuestionKind
from kalends.records.reminder import Group
from kalends.records.response import Attendance
from kalends.records.response_settings import WaitingList, WaitingOrder
from kalends.records.site import Registration
from kalends.records.subscriber import Source
from kalends.records.suppression import Purpose
from kalends.records.suppression import Reason as SuppressionReason
from kalends.records.user import AccountStatus, ResponseNotices, Role, Sending
from kalends.records.webhook import DisabledReason, WebhookKind, WebhookState
from kalends.reports.model import Reason as ReportReason
from kalends.responses.model import PlaceState
from kalends.webhooks.model import ChangeType


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
    ("monday", "saturday", "sunday"): "WeekStart",
    _values(Role): "UserRole",
    _values(Registration): "Registration",
    _values(Language): "Language",
    _values(AccountStatus): "AccountStatus",
    _values(Sending): "Sending",
    ("waiting",): "RegistrationStatus",
    _values(Group): "ReminderAudience",
    _values(ReminderState): "ReminderState",
    _values(WebhookKind): "WebhookDeliveryKind",
    _values(InvitationState): "InvitationState",
    _values(MessageGroup): "MessageGroup",
    _values(WebhookState): "WebhookDeliveryState",
    _values(Attendance): "Attendance",
    _values(EventStatus): "EventStatus",
    _values(Purpose): "SuppressionPurpose",
    _values(ReportReason): "ReportReason",
    _values(SuppressionReason): "SuppressionReason",
    _values(WaitingList): "WaitingList",
    _values(WaitingOrder): "WaitingOrder",
    _values(PlaceState): "PlaceState",
    ("true", "false"): "Truth",
    ("api", "dav"): "KeyKind",
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
    _values(QuestionKind): "QuestionKind",
    _values(AskedPer): "AskedPer",
    ("public",): "SearchScope",
    _values(Visibility): "Visibility",
    ("start_time", "-start_time"): "EventOrder",
    ("none", "guests", "all"): "Moderation",
    ("on", "off"): "Confirmations",
    ("none", "always"): "ConfirmResponses",
    ("take_over", "keep", "remove"): "LeftEvents",
    ("viewer", "editor"): "Role",
    ("owner", "editor", "viewer"): "OwnRole",
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
