"""Verdicts and decisions: rows that are only ever added. The last one of a person counts."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from uuid import uuid4

from sqlalchemy import Connection, func, insert, select

from dashboard.errors import ChoiceError, list_names
from dashboard.plugins.reviews.schema import KNOWN, REVIEW
from dashboard.plugins.reviews.store import find_store, has_store, open_store
from dashboard.storage.collection import Collection
from dashboard.storage.runs import Pair
from dashboard.tables import Names, Texts

VERDICT, DECISION, PREFERENCE = KINDS = ("verdict", "decision", "preference")
"""Kinds of rows that can be saved; a store of the first edition has others."""
UNSURE = "unsure"
WITHDRAWN = ""
"""Value of a row that takes back; only an undo adds one, and the first edition did, too."""
WORDS = ("relevant", "not", UNSURE)
"""Values of a verdict or decision beside grades."""
KEEP = "keep"
"""Value of a decision that the label stays; older ones are UNSURE."""
SAME_AS = {"1": "relevant", "0": "not"}
"""Grades that say what a word says, where there are no others."""
PREFERENCES = ("much better", "better", "same", "worse", "much worse", "cannot judge")
"""Values of a preference: how `run` does in comparison with `against`, for one query."""
CAUSES = ("model", "label", "mapping", "look-alike", "duplicate")
"""What may be the cause of a wrong result."""
MAX_NOTE = 2_000
MAX_NAME = 80
MAX_ID = 2_000
"""Characters of a note, of a name, and of any other text."""
_UNDO = "undo "
"""Begins the client ids of rows that undo one."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A value that a person gave to a result.

    Attributes:
        kind: One of KINDS, or another kind of the first edition.
        item_id: Item, "" of a preference.
        value: One of WORDS, KEEP or a grade, one of PREFERENCES, or WITHDRAWN.
        list_id: The list that the person worked on, "" for none.
        run: Version whose result it was, "" for none.
        against: The other version, of a preference.
        cause: One of CAUSES, or "".
        collection: The collection's key in the store, set when it is saved.
        author: Name of the person, as `clean_name` writes it.
        number: Place among all rows of the store, 0 before it is saved.
        once: The client's own id of the row, as it is stored.
    """

    kind: str = VERDICT
    query_id: str
    item_id: str
    value: str
    author: str
    collection: str = ""
    list_id: str = ""
    run: str = ""
    against: str = ""
    cause: str = ""
    note: str = ""
    number: int = 0
    time: str = ""
    once: str = ""

    @property
    def pair(self) -> Pair:
        """Query and item of a row."""
        return self.query_id, self.item_id

    @property
    def answer(self) -> str:
        """Value; grade 0 is not relevant on every scale."""
        return "not" if self.value == "0" else self.value

    @property
    def subject(self) -> Names:
        """Pair, list, versions and person; a later row with the same subject replaces it."""
        return (
            self.kind, self.query_id, self.item_id, self.list_id, self.run, self.against,
            self.author,
        )  # fmt: skip


Verdicts = list[Verdict]
ByPair = dict[Pair, dict[str, Verdict]]
"""Rows by pair and person."""


def clean_name(name: str) -> str:
    """Return a person's name in one spelling, by which everything that they said is theirs."""
    return unicodedata.normalize("NFC", name.strip())


def save_verdict(
    collection: Collection, verdict: Verdict, once: str = "", is_first: bool = False
) -> int:
    """Save a row of one of KINDS, and return its number; it is on the disk then.

    Args:
        collection: Where query and item are.
        verdict: Its collection, number and time are set here. Without grades above 1, grades are
            kept as the words that say the same.
        once: The client's own id; a second row with it is not saved, and its number returned.
        is_first: Whether the person saw no decision of others on the pair.

    Raises:
        ChoiceError: If the verdict cannot be: an unknown query or item, a value outside of the
            scale, a text that is too long, a list that is closed or does not have the pair, a
            decision of somebody else meanwhile.
        DataError: If the store cannot be written.
    """
    _check_verdict(collection, verdict)
    once = _name_row(once, verdict.author)
    with open_store(writing=True) as connection:
        if number := connection.execute(
            select(REVIEW.c.number).where(REVIEW.c.said_once == once)
        ).scalar():
            return int(number)
        key = record_key(connection, collection.folder)
        about = {"query_id": verdict.query_id, "item_id": verdict.item_id}
        value = (SAME_AS if find_scale(collection) == 1 else {}).get(verdict.value, verdict.value)
        told = _read(connection, collection=key, kind=DECISION, **about) if is_first else ()
        for row in keep_last(told):
            if row.author != verdict.author and row.value != value:
                raise ChoiceError(f"{row.author} decided meanwhile: {row.value}. It stays so.")
        return _add(connection, replace(verdict, collection=key, value=value), once)


def undo_last(
    folder: Path, author: str, once: str = "", kind: str = VERDICT, list_id: str = ""
) -> Verdict | None:
    """Take back what a person said last in a view; what was before it counts again.

    Args:
        folder: The collection's.
        author: Who takes back; only own rows.
        once: The client's own id of this step.
        kind: Kind of the rows of the view, one of KINDS.
        list_id: Its list, "" for none.

    Returns:
        What was taken back, also if this step was taken before; None if nothing is left.

    Raises:
        ChoiceError: If the list is closed.
        DataError: If the store cannot be written.
    """
    if not has_store():
        return None
    once = _UNDO + _name_row(once, author, kind, list_id)
    with open_store(writing=True) as connection:
        key = _find_key(_read_folders(connection), folder)
        rows = _read(connection, collection=key, author=author, kind=kind, list_id=list_id)
        earlier = list(takewhile(lambda row: row.once != once, rows))
        standing = keep_last(earlier)
        if standing and len(earlier) == len(rows):
            taken = standing[-1]
            before = {row.subject: row for row in earlier if row.number < taken.number}
            nothing = replace(taken, value=WITHDRAWN, cause="", note="")
            _add(connection, before.get(taken.subject, nothing), once)
    return standing[-1] if standing else None


def list_history(key: str, **about: str) -> Verdicts:
    """Return all rows of a collection in the order in which they were saved.

    Args:
        key: The collection's.
        about: Narrows them, such as kind="verdict", author="eva".
    """
    if not has_store():
        return []
    with open_store() as connection:
        return _read(connection, collection=key, **about)


def keep_last(rows: Iterable[Verdict], kind: str = "") -> Verdicts:
    """Return the last row of each person on each subject, without those that were taken back.

    An undo takes back the last one of its subject, so that the one before it counts again.

    Args:
        rows: In the order in which they were saved.
        kind: Kind of rows that is looked at; "" for all.
    """
    said: defaultdict[Names, Verdicts] = defaultdict(list)
    for row in rows:
        if row.once.startswith(_UNDO):
            del said[row.subject][-1:]
        elif kind in ("", row.kind):
            said[row.subject].append(row)
    last = (row for each in said.values() for row in each[-1:] if row.value != WITHDRAWN)
    return sorted(last, key=lambda row: row.number)


def keep_last_of_pairs(rows: Iterable[Verdict], kind: str = "") -> ByPair:
    """Return the rows of `keep_last` by pair and person."""
    found: ByPair = {}
    for row in keep_last(rows, kind):
        found.setdefault(row.pair, {})[row.author] = row
    return found


def read_state(folder: Path) -> tuple[str, str, int]:
    """Return the key of a collection, the store, and the number of its last row (0: none)."""
    if not has_store():
        return folder.name, "", 0
    with open_store() as connection:
        key = _find_key(_read_folders(connection), folder)
        number = connection.execute(
            select(func.max(REVIEW.c.number)).where(REVIEW.c.collection == key)
        ).scalar()
        place = find_store()
        inode = place.stat().st_ino if isinstance(place, Path) else 0  # of a copy put in its place
    return key, f"{place} {inode}", int(number or 0)


def find_scale(collection: Collection) -> int:
    """Return the highest grade of a collection; 1 where judgements have none."""
    qrels = collection.qrels
    return int(qrels.values.max(initial=1)) if qrels else 1


def has_pair(collection: Collection, query: str, item: str) -> bool:
    """Return whether a collection has a query and its item; the item "" is none."""
    return query in collection.queries.index and (not item or item in collection.items.index)


def _check_verdict(collection: Collection, verdict: Verdict) -> None:
    kind = verdict.kind
    value = verdict.value
    compares = kind == PREFERENCE
    if kind not in KINDS:
        raise ChoiceError(f"{kind[:40]!r} cannot be saved. There are: {list_names(KINDS)}.")
    if verdict.query_id not in collection.queries.index:
        raise ChoiceError(f"There is no query {verdict.query_id[:80]!r} in {collection.name}.")
    if verdict.item_id not in (("",) if compares else collection.items.index):
        raise ChoiceError(f"There is no item {verdict.item_id[:80]!r} in {collection.name}.")
    scale = find_scale(collection)
    words = {PREFERENCE: PREFERENCES, DECISION: (*WORDS, KEEP)}.get(kind, WORDS)
    grades = [] if compares else list(map(str, range(scale + 1)))
    if value not in (*words, *grades):
        known = [*words, f"or a grade from 0 to {scale}"] if grades[2:] else words
        raise ChoiceError(f"{value[:40]!r} is no {kind}. There are: {', '.join(known)}.")
    if compares and not "" != verdict.run != verdict.against != "":
        raise ChoiceError("A preference is between two versions: name them as run and against.")
    if verdict.cause not in ("", *CAUSES):
        raise ChoiceError(f"{verdict.cause[:40]!r} is no cause. There are: {list_names(CAUSES)}.")
    check_text("author", verdict.author, is_needed=True)
    for name in ("note", "list_id", "run", "against"):
        check_text(name, getattr(verdict, name))


def check_text(name: str, text: str, is_needed: bool = False) -> None:
    """Check the length and letters of a text from a person.

    Raises:
        ChoiceError: If it cannot be kept.
    """
    if is_needed and not text.strip():
        raise ChoiceError(f"Enter the {name}.")
    most = {"note": MAX_NOTE, "author": MAX_NAME, "title": MAX_NAME}.get(name, MAX_ID)
    if len(text) > most:
        raise ChoiceError(f"The {name} has {len(text):,} characters; at most {most:,} are kept.")
    odd = ("Cs",) if name == "note" else ("Cc", "Cs")
    if "\0" in text or any(unicodedata.category(letter) in odd for letter in text):
        raise ChoiceError(f"The {name} has characters that cannot be kept, such as line breaks.")


def _name_row(once: str, *about: str) -> str:
    """Return a name that no row of another person or view has, whatever its client's own id."""
    check_text("id of the press", once)
    named = "\n".join([once or uuid4().hex, *about])
    return f"-{named}" if once.startswith(_UNDO) else named


def _add(connection: Connection, row: Verdict, once: str) -> int:
    """Add a row, if its list takes it, and return its number."""
    from dashboard.plugins.reviews.judging_lists import check_open

    if row.list_id:
        check_open(connection, row)
    values = asdict(row) | {"time": write_time(), "said_once": once, "assignment": ""}
    del values["number"], values["once"]
    return int(
        connection.execute(insert(REVIEW).values(values).returning(REVIEW.c.number)).scalar_one()
    )


def write_time() -> str:
    """Return the time in UTC, with seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _read(connection: Connection, **about: str) -> Verdicts:
    """Return rows; one of the first edition names its list apart, and its author may be unclean."""
    asked = select(REVIEW).order_by(REVIEW.c.number)
    for name in about.keys() - {"author", "list_id"}:
        asked = asked.where(REVIEW.c[name] == about[name])
    found = []
    for row in connection.execute(asked).mappings():
        values = dict(row)
        values["once"] = values.pop("said_once") or ""
        values["list_id"] = values["list_id"] or values["assignment"]
        del values["assignment"]
        values["author"] = clean_name(values["author"])
        if about.items() <= values.items():
            found.append(Verdict(**values))
    return found


def record_key(connection: Connection, folder: Path) -> str:
    """Return the key of a collection, and record its folder if that is not known."""
    known = _read_folders(connection)
    place = str(folder.absolute())
    key = _find_key(known, folder)
    if known.get(key) != place:
        row = {"collection": key, "folder": place, "content": "", "items": "[]", "queries": ""}
        connection.execute(insert(KNOWN).values(row))
    return key


def _read_folders(connection: Connection) -> Texts:
    """Return the last recorded folder of each key, the latest last."""
    columns = (KNOWN.c.collection, KNOWN.c.folder)
    found: Texts = {}
    for key, folder in connection.execute(select(*columns).order_by(KNOWN.c.number)):
        found.pop(key, None)
        found[key] = folder
    return found


def _find_key(known: Texts, folder: Path) -> str:
    """Return the key whose folder this is; else the name, or `name (2)` if another one has it.

    A collection of the same name whose folder is gone is the same one, which was moved.
    """
    place = str(folder.absolute())
    name = folder.name
    here = [key for key, recorded in known.items() if recorded == place]
    if here:
        return here[-1]
    number = 1
    key = name
    while known.get(key) and (Path(known[key]) / "collection.toml").is_file():
        number += 1
        key = f"{name} ({number})"
    return key
