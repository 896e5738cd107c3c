"""The composition root: all features in one list, and the application made of them."""

import gc
from collections.abc import Callable
from functools import partial

from kalends import log, settings, tokens, tracing
from kalends.account import (
    block_pages,
    device_pages,
    key_pages,
    language_pages,
    notice_pages,
    reset_pages,
    session_pages,
    settings_pages,
    sign_in_pages,
    sign_out_pages,
    sign_up_pages,
    verify_pages,
)
from kalends.account import pages as account_pages
from kalends.admin import api as administration
from kalends.admin import health_pages, mail_pages, moderation_pages
from kalends.admin import pages as admin_pages
from kalends.admin.audit import api as audit
from kalends.admin.audit import pages as audit_pages
from kalends.admin.invitations import api as account_invitations
from kalends.admin.people import api as people
from kalends.admin.people import pages as people_pages
from kalends.admin.suppressions import api as site_suppressions
from kalends.admin.suppressions import pages as suppression_pages
from kalends.blocked_senders import api as blocked_senders
from kalends.blocks import api as blocks
from kalends.calendar_view import calendar_pages as calendar_view
from kalends.calendar_view import embed_pages
from kalends.calendars import api as calendars
from kalends.calendars import import_pages as calendar_import_pages
from kalends.calendars import pages as calendar_pages
from kalends.calendars import sharing_pages
from kalends.calendars.questions import api as calendar_questions
from kalends.calendars.questions import pages as calendar_question_pages
from kalends.calendars.reminders import api as calendar_reminders
from kalends.calendars.reminders import pages as calendar_reminder_pages
from kalends.changes import api as changes
from kalends.changes import pages as change_pages
from kalends.changes import stream as changes_stream
from kalends.comments import api as comments
from kalends.comments import pages as comment_pages
from kalends.contacts import api as contacts
from kalends.contacts import import_pages as contact_import_pages
from kalends.contacts import pages as contact_pages
from kalends.dav import serve as dav
from kalends.db import Database, open_database
from kalends.deliveries import api as deliveries
from kalends.deliveries import pages as delivery_pages
from kalends.deliveries import stop_pages
from kalends.discovery import pages as discovery_pages
from kalends.events import api as events
from kalends.events import form_pages as event_form_pages
from kalends.events import history_pages as event_history_pages
from kalends.events import link_pages as event_link_pages
from kalends.events import pages as event_pages
from kalends.events import prefilled_pages as event_prefilled_pages
from kalends.events import repeat_pages as event_repeat_pages
from kalends.events import responses_pages as event_responses_pages
from kalends.events import share_picture_pages as event_share_picture_pages
from kalends.events.changes import api as event_changes
from kalends.events.image import api as event_image
from kalends.events.imports import api as event_imports
from kalends.events.invitations import api as event_invitations
from kalends.events.invitations import link_pages as invitation_link_pages
from kalends.events.invitations import pages as event_invitation_pages
from kalends.events.messages import api as event_messages
from kalends.events.messages import pages as event_message_pages
from kalends.events.placements import api as event_placements
from kalends.events.questions import api as event_questions
from kalends.events.questions import pages as event_question_pages
from kalends.events.reminders import api as event_reminders
from kalends.events.reminders import pages as event_reminder_pages
from kalends.events.series import api as event_series
from kalends.health import api as health
from kalends.hidden_events import api as hidden_events
from kalends.home import pages as home_pages
from kalends.http.endpoint import endpoints_of
from kalends.http.server import Application
from kalends.http.serving.edge import Edge
from kalends.idempotency import store as idempotent_responses
from kalends.keys import api as keys
from kalends.organisers import pages as organiser_pages
from kalends.pictures import pages as picture_pages
from kalends.reference import api as reference
from kalends.reference import docs_pages
from kalends.reports import api as reports
from kalends.reports import pages as report_pages
from kalends.responses import answers_pages
from kalends.responses import api as responses
from kalends.responses import edit_pages as response_edit_pages
from kalends.responses import link_pages as response_link_pages
from kalends.responses import question_pages as response_question_pages
from kalends.responses import reminder_pages as response_reminder_pages
from kalends.sessions import api as sessions
from kalends.sessions.store import authenticate
from kalends.settings import Settings
from kalends.site import api as site
from kalends.subscribers import api as subscribers
from kalends.subscribers import confirm_pages, unsubscribe_pages
from kalends.subscribers import pages as subscriber_pages
from kalends.trash import api as trash
from kalends.trash import pages as trash_pages
from kalends.users import api as users
from kalends.values import timestamps
from kalends.web import accent_pages, failures, static_pages
from kalends.web.render import limit_inputs
from kalends.webhooks import api as webhooks
from kalends.webhooks import pages as webhook_pages

# Every module that declares endpoints.
FEATURES = [
    *(sessions, users, keys, blocks, calendars, events, event_imports, event_series, event_placements, event_changes, event_image),
    *(comments, responses, event_questions, calendar_questions, event_reminders, calendar_reminders, contacts, deliveries, subscribers),
    *(changes, changes_stream, trash, webhooks, reports, blocked_senders, hidden_events, site),
    *(administration, people, account_invitations, site_suppressions, audit),
    *(
        home_pages,
        organiser_pages,
        event_pages,
        event_form_pages,
        event_repeat_pages,
        event_responses_pages,
        event_history_pages,
        event_link_pages,
        event_prefilled_pages,
        event_share_picture_pages,
    ),
    *(calendar_view, embed_pages),
    *(sign_in_pages, sign_out_pages, sign_up_pages, reset_pages, verify_pages),
    *(account_pages, session_pages, key_pages, device_pages, block_pages, settings_pages, language_pages, notice_pages, webhook_pages),
    *(calendar_pages, sharing_pages, calendar_import_pages, contact_pages, contact_import_pages),
    *(event_invitations, event_invitation_pages, invitation_link_pages, event_messages, event_message_pages),
    *(event_question_pages, calendar_question_pages, response_question_pages, event_reminder_pages, calendar_reminder_pages),
    *(response_edit_pages, response_link_pages, response_reminder_pages, answers_pages, comment_pages, change_pages, trash_pages),
    *(report_pages, subscriber_pages, confirm_pages, unsubscribe_pages, delivery_pages, stop_pages),
    *(admin_pages, people_pages, moderation_pages, mail_pages, suppression_pages, audit_pages, health_pages),
    *(reference, docs_pages, static_pages, accent_pages, picture_pages, discovery_pages, health),
]

ENDPOINTS = endpoints_of(FEATURES)
reference.describe(ENDPOINTS)
limit_inputs(ENDPOINTS)


def application(db: Database, settings: Settings, clock: Callable[[], int] = timestamps.now) -> Application:
    """The service, with all its endpoints."""
    error_page = partial(failures.reply, db, settings)
    parts = (ENDPOINTS, db, settings, authenticate, idempotent_responses, clock, error_page, dav.mounts)
    if tracer := tracing.start(settings):
        from kalends.http.traced_server import TracedApplication

        return TracedApplication(tracer, *parts)
    return Application(*parts)


def rsgi() -> Edge:
    """The service as Granian runs it, in each server process, with the settings from the environment."""
    loaded = settings.load()
    log.configure(loaded)
    tokens.ensure_secret(loaded)
    db = open_database(loaded)
    edge = Edge(application(db, loaded), loaded, db)
    # Exclude the objects of the start from garbage collection, since they live as long as the process.
    gc.freeze()
    return edge
