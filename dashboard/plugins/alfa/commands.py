"""`keywords`: words of a text mapped to keywords, and a team's own vocabulary and mapping."""

from argparse import Namespace

from dashboard.commands.options import FINE, Answer, open_call
from dashboard.commands.output import replace_file, say, write_rows

HELP = "words of a text mapped to keywords; --draft and --write for your own collection"
OPTIONS = """
TEXT  text of a query
--threshold SCORE  least score of a keyword that is kept, 0 to 1 (default: the collection's)
--draft  write vocabulary.toml with every keyword, to be given other words by you
--write  map the words of all text queries and write query_keywords.csv
"""
COLUMNS = ("ngram", "keyword", "group", "score", "kept")


def answer(call: Namespace) -> Answer:
    """Return a row a candidate, or the files that were written."""
    from dashboard.plugins.alfa.choices import find_threshold
    from dashboard.plugins.alfa.keywords import (
        MAPPING,
        MAPPING_COLUMNS,
        VOCABULARY,
        draft_vocabulary,
        keep_best,
        read_vocabulary,
    )
    from dashboard.plugins.alfa.mapping import list_negations, map_texts

    if bool(call.text) + call.draft + call.write != 1:
        raise ValueError("Give one of TEXT, --draft and --write.")
    if call.threshold is not None and not call.text:
        do = "for stored queries set mapping_threshold in collection.toml"
        raise ValueError(f"--threshold goes with TEXT; {do}.")
    if not 0 <= (call.threshold or 0) <= 1:
        raise ValueError(f"--threshold {call.threshold:g}: a score lies between 0 and 1.")
    collection = open_call(call)
    if "alfa" in collection.unread:
        raise collection.unread["alfa"]
    if not collection.tables.get("alfa"):
        raise ValueError(f"{collection.name} has no keywords: there is no unified_annotation.csv.")
    vocabulary = read_vocabulary(collection)
    if call.text:
        (found,) = map_texts([call.text], vocabulary)
        usual = find_threshold(collection)
        kept = keep_best(found, usual if call.threshold is None else call.threshold)
        for negated in list_negations(call.text, vocabulary):
            say(f"note: {negated!r} is negated and names no keyword")
        return [each.describe() | {"kept": each in kept} for each in found], COLUMNS, FINE
    path = collection.folder / (VOCABULARY if call.draft else MAPPING)
    if call.draft:
        if path.exists():
            raise ValueError(f"{path} is there already; edit it, or move it away first.")
        text, number = draft_vocabulary(vocabulary), len(vocabulary)
    else:
        asked = [(name, text) for name, text in collection.queries.list_rows("text") if text]
        mapped = map_texts([text for _, text in asked], vocabulary)
        rows = [
            each.describe() | {"query_id": name, "score": f"{each.score:.4f}"}
            for (name, _), found in zip(asked, mapped, strict=True)
            for each in found
        ]
        text, number = write_rows(rows, MAPPING_COLUMNS, "csv"), len(rows)
    replace_file(path, text.encode())
    return [{"file": path.name, "rows": number}], ("file", "rows"), FINE
