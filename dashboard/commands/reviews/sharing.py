"""`python -m dashboard links`: share links to a collection or a review, for who has no login."""

from __future__ import annotations

import getpass
import os
from argparse import Namespace
from dataclasses import asdict

import pandas as pd

from dashboard.commands.console import FINE, Answer, Command, at_least_one, complain, opened
from dashboard.experiment.reviews import share_links

ABOUT = (
    "create, list or revoke share links: a guest without a login sees one collection or review "
    "until a day; only where a login is set up"
)
COLUMNS = (
    "id", "collection", "review", "role", "label", "state", "until", "used", "visitors", "author",
    "time",
)  # fmt: skip


def add_links(command: Command) -> None:
    """Enter the command `links`."""
    parser = command("links", _links, ABOUT)
    parser.add_argument("action", choices=("create", "list", "revoke"))
    parser.add_argument("subject", metavar="COLLECTION | ID")
    text = "create: viewer (default) looks, reviewer saves verdicts and answers, too"
    parser.add_argument("--role", choices=share_links.ROLES, default="viewer", help=text)
    text = f"create: how long it lives (default: {share_links.DAYS}, most: {share_links.MOST_DAYS})"
    parser.add_argument("--days", type=at_least_one, default=share_links.DAYS, help=text)
    parser.add_argument("--label", default="", help="create: who it is for: “guest LABEL”")
    parser.add_argument("--review", default="", metavar="ID", help="create: for this review only")
    parser.add_argument("--author", default="", help="create, revoke: default: your login")


def _links(call: Namespace) -> Answer:
    author = call.author or getpass.getuser()
    if call.action == "revoke":
        return _listed([share_links.revoke(call.subject, author)]), FINE
    call.collection = call.subject
    collection = opened(call)
    if call.action == "list":
        return _listed(share_links.of(collection)), FINE
    made, address = share_links.create(
        collection,
        author,
        role=call.role,
        days=call.days,
        label=call.label,
        review=call.review,
    )
    base = os.environ.get("DASHBOARD_ADDRESS", "").strip().rstrip("/")
    if not base:
        complain("note: put the dashboard's address before the link, or set DASHBOARD_ADDRESS")
    complain("note: the link is printed this once; only its digest is stored")
    table = _listed([made])[["id", "collection", "review", "role", "label", "until"]]
    return table.assign(link=f"{base}/{address}" if base else address), FINE


def _listed(links: list[share_links.ShareLink]) -> pd.DataFrame:
    rows = [{**asdict(link), "state": link.state} for link in links]
    return pd.DataFrame(rows, columns=list(COLUMNS))
