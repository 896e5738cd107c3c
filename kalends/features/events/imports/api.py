"""Import events from an iCalendar file."""

from kalends import policy
from kalends.features.events.imports.steps.file import ImportOptions, import_file
from kalends.features.events.input_model import EventFile, EventInput
from kalends.features.events.model import EventImport
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.multipart import Upload


@endpoint("POST", "/api/events/import", status=201)
def import_(ctx: Context, params: EventFile) -> EventImport:
    """Import the events of an iCalendar file (.ics), or of all that a ZIP archive has.

    An event or a series that is on the calendar already, by its UID, is changed to what the file says, and left alone if nothing
    differs. `remarks` says by line what could not be imported.
    """
    return import_upload(ctx, params.file, params)


def import_upload(ctx: Context, file: Upload, params: EventInput | EventFile) -> EventImport:
    """Import the file with the options that came with it."""
    policy.user(ctx)
    return import_file(ctx, file.content, ImportOptions(params.calendar_id, params.public, params.time_zone))
