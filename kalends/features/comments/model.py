"""Comments: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.features.responses.model import Attendance
from kalends.http.input.options import StructOptions
from kalends.http.input.types import CreatedAt, EmailAddress, EventId, EventLink, Id, LongText, Name, RecordId, UpdatedAt
from kalends.http.paging import Page, Paging

# The specification has them as texts.
Truth = Literal["true", "false"]


class CommentInput(Struct, kw_only=True):
    """A new comment. For a signed-in user, their own address and name are the defaults."""

    OPTIONS: ClassVar = StructOptions(rules={"email_address": "is required of a guest"})

    event_id: Annotated[Id, Meta(description="The event.")]
    email_address: EmailAddress | None = None
    response: Attendance | None = None
    name: Annotated[Name, Meta(description="The name to show.")] | None = None
    comment: Annotated[LongText, Meta(description="The text.")]
    link: EventLink | None = None


class CommentFields(Struct, kw_only=True):
    """The editable fields of a comment."""

    approved: Annotated[bool, Meta(description="Whether everyone sees it; the event owner decides.")] = False
    name: Annotated[Name, Meta(description="The name to show.")] | None = None
    comment: Annotated[LongText, Meta(description="The text.")]


class CommentQuery(Paging, kw_only=True, frozen=True):
    """The event whose comments to list."""

    event_id: Annotated[Id, Meta(description="The event; without it, all comments on the events that you may edit.")] | None = None
    link: EventLink | None = None
    waiting: Annotated[bool, Meta(description="Those of the whole site that wait for approval, the oldest first; for admins.")] = False


class CommentView(Struct, kw_only=True):
    """The link of the event, for those who see it by that."""

    link: EventLink | None = None


class CommentFor(Struct, kw_only=True):
    """The event to comment on."""

    event_id: Annotated[Id, Meta(description="The event.")] | None = None


class BlankComment(Struct):
    """The defaults of a new comment."""

    event_id: EventId | None
    email_address: Annotated[str | None, Meta(description="E-mail address.")]
    response: Annotated[Attendance | None, Meta(description="Whether the person comes.")]
    name: Annotated[str | None, Meta(description="Name.")]
    comment: Annotated[str, Meta(description="Text of the comment.")]


class EditableComment(Struct):
    """The editable fields with their current values."""

    approved: Annotated[Truth, Meta(description="Whether the comment is approved, as text.")]
    name: Annotated[str | None, Meta(description="Name.")]
    comment: Annotated[str, Meta(description="Text of the comment.")]


class CommentItem(Struct, kw_only=True):
    """A comment. The event's editors get its address, and no `response` until that is confirmed; others get the response that was sent."""

    id: RecordId
    event_id: EventId
    name: Annotated[str | None, Meta(description="Name.")]
    comment: Annotated[str, Meta(description="Text of the comment.")]
    response: Annotated[Attendance | None, Meta(description="Whether the person comes.")]
    approved: Annotated[Truth, Meta(description="Whether the comment is approved, as text.")]
    is_approved: Annotated[bool, Meta(description="Whether the comment is approved.")]
    created_at: CreatedAt
    updated_at: UpdatedAt
    email_address: Annotated[str | UnsetType, Meta(description="The author's e-mail address; for the event's owner only.")] = UNSET


class CommentIndex(Page):
    comments: Annotated[list[CommentItem], Meta(description="The comments, newest first.")]
