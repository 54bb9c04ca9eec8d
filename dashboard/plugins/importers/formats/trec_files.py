"""Judgements and results: TREC's lines and its topics, BEIR."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial

from dashboard.errors import DataError
from dashboard.plugins.importers.blocks import read_blocks
from dashboard.plugins.importers.formats.tabular import read_table
from dashboard.plugins.importers.json_rows import JUDGED
from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Judgements,
    Pieces,
    Queries,
    Result,
    RunLines,
    match_lines,
    read_each,
    rises,
)
from dashboard.plugins.importers.source import (
    Source,
    clean_name,
    find_folder_of,
    find_plain,
    find_stem,
    list_first,
)
from dashboard.storage.media import EXTENSION
from dashboard.storage.runs import Pair
from dashboard.tables import Names

OTHERS = (".csv", ".json", ".jsonl", ".parquet", ".arrow", ".xlsx", ".md", ".toml", ".py", ".html")
NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
FORMS = {
    form: re.compile(lines.replace("NUMBER", NUMBER))
    for form, lines in {
        "run": r"(?=\S+\s+Q\d|(?:\S+\s+){5}\S+$)(\S+)\s+\S+\s+(\S+)\s+-?\d+\s+NUMBER(?:\s+(\S.*))?",
        "ranks": r"(\S+)\s+(\S+)\s+(\d+)(\s+NUMBER)?",
        "qrels": r"(\S+)\s+Q?0\s+(\S+)\s+NUMBER",
        "tasks": r"(\d+:\S+)\s+0\s+(\d+:\S+)\s+NUMBER\s+\d+",
        "sampled": r"(\S+)\s+0\s+(\S+)\s+\d\s+(-?\d)",
        "subtopics": r"(\S+)\s+\S{1,4}\s+(\S+)\s+NUMBER",
        "pairs": r"(\S+)\s+(\S+)\s+NUMBER",
        "scores": r"(\S+)\s+(\S+)\s+(?=[-+]?\d*\.)NUMBER",
        "ltr": r"(?=\d+ qid:(\S+) .*# ?(?:docid = )?(\S+))(\d+) .*",
        "queries": r"(?!(?i:_?id|q_?id|\w*(?:query|topic)\w*)\t)(\S+)\t(\S.*)",
    }.items()
}
"""Lines of each form: query, item and number (MS MARCO: a rank, tevatron: a score); id and text.
M-BEIR has a task behind the grade, TRECVID a stratum before it."""
WORDS = {
    "subtopics": JUDGED.pattern,
    "pairs": JUDGED.pattern,
    "scores": "run|rank|result|score",
    "queries": "quer|topic",
}
"""What names of files of a form hold, where its lines could be anything."""
TOPIC = re.compile(r"<top(?:ic)?\b([^>]*>.*?)(?=<top(?:ic)?\b|\Z)", re.S | re.I)
TOPIC_ID = re.compile(r"number=\"([^\"]+)\"|<num>\s*(?:Number:)?\s*([^<\s]+)", re.I)
TITLE = re.compile(r"<(?:title|query)>\s*(?:Topic:)?\s*([^<]+)", re.I)


def recognise(source: Source) -> Names:
    """Return files of results, judgements and topics, by their first lines."""
    return [
        name
        for name in source.left
        if not (EXTENSION.search(name) or find_plain(name).endswith(OTHERS))
        and find_form(name, source.read_head(name))
    ]


def find_form(name: str, head: str) -> str:
    """Return the form of a file by its first lines, or "topics"; "" for another one."""
    if TOPIC.search(head):
        return "topics"
    lines = list_first(head, 20)
    for form, pattern in FORMS.items():
        matches = list(filter(None, map(pattern.fullmatch, lines)))
        is_named = re.search(WORDS.get(form, ""), name.lower())
        is_so = _has_ranks(name, matches) if form == "ranks" else is_named
        if is_so and len(matches) > len(lines) / 2 and pattern.fullmatch(lines[0]):
            return form
    return ""


def _has_ranks(name: str, lines: Sequence[re.Match[str]]) -> bool:
    """Return whether the third field counts from 1 for each query, as in no judgements."""
    counts = Counter[str]()
    for each in lines:
        counts[each[1]] += 1
        if counts[each[1]] != int(each[3]):
            return False
    return len(counts) < len(lines) and not (
        re.search(WORDS["pairs"], name.lower()) or len({each[2] for each in lines}) < 2
    )


def _read_file(source: Source, name: str) -> Pieces:
    form = find_form(name, source.read_head(name))
    if form == "topics":
        text = source.read_text(name)
        found = [(TOPIC_ID.search(each), TITLE.search(each)) for each in TOPIC.findall(text)]
        source.count(
            name,
            not text.rstrip().endswith(">"),
            "topics that are cut",
            "a whole file; read as far as it is",
        )
        yield _make_queries(
            name, [(a[1] or a[2], " ".join(b[1].split())) for a, b in found if a and b]
        )
        return
    lines = match_lines(source, name, FORMS[form], f"a line of {form}")
    if form == "queries":
        yield _make_queries(name, [(each[1], each[2]) for each in lines])
        return
    if form == "sampled":
        source.say(name, "a sample of judgements", "all; AP is not inferred from strata", "note")
    sign = -1 if form == "ranks" else 1
    if form == "run" and rises((e[1], float(e[0].split()[3]), float(e[3])) for e in lines):
        wanted = "the highest at rank 1; they count as trec_eval reads them"
        source.say(name, "scores that rise with the rank, as distances do", wanted)
    rows = [(each[1], each[2], sign * float(each[3])) for each in lines]
    if form not in ("run", "ranks", "scores"):
        yield Judgements(name, rows)
        return
    runs: dict[str, list[Result]] = {}
    for each, row in zip(lines, rows, strict=True):
        runs.setdefault(form == "run" and each[4] or "", []).append(row)
    asked = [len({query for query, _, _ in own}) for own in (rows, *runs.values())]
    if 2 * min(asked) <= asked[0]:
        runs = {"": rows}  # a tag a line, or a part of the queries
    for tag, own in runs.items():
        yield RunLines(name, clean_name(len(runs) > 1 and tag or find_stem(name)), own)


def _make_queries(name: str, rows: Sequence[Pair]) -> Queries:
    return Queries(name, [query for query, _ in rows], {"text": [text for _, text in rows]})


TEXT_KEYS = ("_id", "title", "text")


def recognise_beir(source: Source) -> Names:
    """Return a corpus, its queries and its judgements."""
    named = source.list_headed(lambda head: '"_id"' in head, ".jsonl")
    corpora, queries = ([e for e in named if find_stem(e) == own] for own in ("corpus", "queries"))
    if not corpora or not queries:
        return []
    folder = find_folder_of(corpora[0])
    if len(corpora) > 1:
        found, do = f"{len(corpora):,} data sets of BEIR", f"Type --from {folder}"
        raise DataError(source.root.name, found, "one; each has ids of its own", do=do)
    inside = f"{folder}/qrels".lstrip("/")
    qrels = [name for name in source.list_left(".tsv") if find_folder_of(name) == inside]
    return [corpora[0], queries[0], *qrels]


def read_beir(source: Source, files: Names) -> Pieces:
    """Yield the judgements, the texts and the judged queries."""
    corpus, queries, *qrels = files
    judged = set[str]()
    for piece in read_each(read_table, source, qrels):
        if isinstance(piece, Judgements):
            judged.update(query for query, _, _ in piece.rows)
        yield piece
    for block in read_blocks(source, corpus):
        ids, *parts = (block.columns.get(key, [""] * len(block.lines)) for key in TEXT_KEYS)
        cells = [". ".join(filter(None, texts)) for texts in zip(*parts, strict=True)]
        yield Items(corpus, ids, {"caption": cells, "kind": ["text"] * len(ids)})
    for block in read_blocks(source, queries):
        rows = zip(block.columns["_id"], block.columns["text"], strict=True)
        yield _make_queries(queries, [row for row in rows if not judged or row[0] in judged])


TREC = Format("TREC", recognise, partial(read_each, _read_file))
BEIR = Format("BEIR", recognise_beir, read_beir)
