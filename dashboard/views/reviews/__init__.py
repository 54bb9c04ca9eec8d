"""Reviews on screen: all of a collection, a form for a new one, and a single one by its link."""

from dashboard.views.reviews.agreement import agreement, keywords_to_decide
from dashboard.views.reviews.audit import audit_log
from dashboard.views.reviews.estimates import estimates_of_pair
from dashboard.views.reviews.listing import listing
from dashboard.views.reviews.one_review import one_review
from dashboard.views.reviews.reviewer import reviewer
from dashboard.views.reviews.share_links import sharing

__all__ = [
    "agreement",
    "audit_log",
    "estimates_of_pair",
    "keywords_to_decide",
    "listing",
    "one_review",
    "reviewer",
    "sharing",
]
