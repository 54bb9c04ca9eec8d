"""The tables of reviews, as SQLite and PostgreSQL both have them. Rows are only ever added."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, Table, Text

from dashboard.tables import REVIEWS

VERSION = 5
"""The version of these tables that this program reads and writes."""

METADATA = MetaData()
_NUMBER = BigInteger().with_variant(Integer, "sqlite")

REVIEW = Table(
    "review",
    METADATA,
    Column("number", _NUMBER, primary_key=True),
    *(Column(name, Text, nullable=False) for name in REVIEWS.columns if name != "number"),
    Column("said_once", Text, unique=True),
    Index("review_of", "collection", "kind"),
)
"""What reviewers say; `said_once` names a review, so that none is saved twice."""

KNOWN = Table(
    "known",
    METADATA,
    Column("number", _NUMBER, primary_key=True),
    *(
        Column(name, Text, nullable=False)
        for name in ("collection", "folder", "content", "items", "queries")
    ),
)
"""The place and content of each collection, to recognise it: used by `review_keys`."""

ASSIGNMENT = Table(
    "assignment",
    METADATA,
    Column("number", _NUMBER, primary_key=True),
    *(Column(name, Text, nullable=False) for name in ("id", "definition", "author", "time")),
)
"""What reviewers were asked to judge, as JSON; of several rows of one id the last one counts."""

AUDIT = Table(
    "audit",
    METADATA,
    Column("number", _NUMBER, primary_key=True),
    *(
        Column(name, Text, nullable=False)
        for name in ("time", "name", "identity", "role", "action", "collection", "about")
    ),
)
"""Who did what, and what vouched for the name: see `audit`."""

SHARE_LINK = Table(
    "share_link",
    METADATA,
    Column("number", _NUMBER, primary_key=True),
    *(
        Column(name, Text, nullable=False)
        for name in ("id", "digest", "definition", "author", "time")
    ),
)
"""Share links, by the digest of their secret; of several rows of one id the last one counts."""

VISIT = Table(
    "visit",
    METADATA,
    Column("number", _NUMBER, primary_key=True),
    *(Column(name, Text, nullable=False) for name in ("link", "digest", "name", "time")),
    Index("visit_of", "digest"),
)
"""Who came by a share link, by the digest of the visitor's own secret; the last row of a digest is
the last use."""
