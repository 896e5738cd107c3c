"""Permission: who may see and do what. Nothing else in the code decides that.

A record that the actor may not see raises NotFound; one that they may see and not change raises Forbidden.
"""

from kalends.policy.account import *
from kalends.policy.actor import *
from kalends.policy.administration import *
from kalends.policy.calendars import *
from kalends.policy.event_link import *
from kalends.policy.events import *
from kalends.policy.guests import *
from kalends.policy.invitation_link import *
from kalends.policy.my_events import *
from kalends.policy.organisers import *
from kalends.policy.ownership import *
from kalends.policy.replay import *
from kalends.policy.response_link import *
from kalends.policy.sources import *
from kalends.policy.undo import *
from kalends.policy.withheld import *
