"""The meaning of a table's columns, by their names and by what their cells name."""

import re
import shlex
from collections import Counter
from statistics import fmean

from dashboard.errors import DataError, Unsure, list_names
from dashboard.plugins.importers.blocks import Block
from dashboard.plugins.importers.json_rows import JUDGED, MAX_WORDS
from dashboard.plugins.importers.judged_pairs import may_be_grades
from dashboard.plugins.importers.naming import name_version
from dashboard.plugins.importers.pieces import RELEVANT, rises
from dashboard.plugins.importers.source import Source, find_folder_of, find_stem
from dashboard.storage.media import EXTENSION, is_media
from dashboard.storage.vector_ids import LABELS
from dashboard.tables import Names, Texts
from dashboard.texts import parse_number

ITEM = """item_id slice_id docno doc_id did document_id corpus_id product_id segment_id image_id
photo_id video_id vid vid_name clip_id asset_id id uid uuid sku asin pid key ids youtube_id ytid"""
FILE = """file file_name file_path path image image_name image_path img img_path image_file video
video_path video_file clip clip_path picture photo sensor_video_file sensor_frame_file"""
POSTER = "poster gif_path gif_file thumbnail poster_path"
CAPTION = """caption captions text sentence sentences comment description desc title product_title
prompt encap phrase caption_str"""
KEYS = "id key uid"
"""Columns that name the rows of captions and judgements, where another one names the items."""
CAPTION_ID = """caption_id cap_id sent_id sentids sen_id sentence_id text_id audiocap_id
caption_number comment_number"""
QUERY = "query_id q_id qid topic topic_id query query_text"
SEARCHES = "query_image query_img search_term search_query search_id"
"""Names of queries, and others that are so beside a grade, a score or a rank."""
OTHER = """reference_id item product doc document passage_id url gallery_image gallery_img
candidate_image image2"""
"""Names of the items in tables that name queries, too."""
QUERY_TEXT = "text query_text query title question sentence caption prompt"
QUERY_IMAGE = "image query_image query_img reference_image reference_img reference"
START = "span_start start_time time_start start start_sec start_seconds start_timestamp begin"
END = "span_end end_time time_end end end_sec end_seconds stop_timestamp end_timestamp"
SPANS = ("span_start", "span_end")
TIME = re.compile(r"((\d+:)?\d+:)?\d+(\.\d*)?|")
"""Seconds, or minutes and hours before them."""
OURS = ("item_id", "query_id", "file", "poster", "caption", "caption_id", "text", "grade", "score",
        "rank")  # fmt: skip
"""Names that columns can be mapped to."""
GRADE = "grade rating relevance rel judgment judgement relevance_score esci_label verdict"
MARK = "match same"
"""Names of what may be grades of pairs."""
OF_MODELS = re.compile(r"(^|[\W_])(results?|pred(iction)?s?|predicted|generated)($|[\W_])", re.I)
"""Words in names of files of captions that a model wrote."""
QUERY_IDS, MAX_GRADES = ("queryid", "qid"), 9
"""Columns of queries beside which labels may be grades, and words that these have at most."""
NUMERAL = re.compile(r"[-+.,]?\d[-+.,e\d]*")
SCORE = "score similarity"
RANK = "rank position doc_position"
RUN = "model model_name run_name system"
NAMING = ("item_id", "file", "caption")
"""Roles of which a table of items has one."""
NUMBERED = re.compile("id$|key$|hash$", re.I)
"""Names of columns that may hold further ids."""


class Roles:
    """Columns of a table by their role.

    Attributes:
        kind: "pairs", "queries", or "items".
        of: Column by role: one of OURS, rank or run.
    """

    def __init__(self, block: Block) -> None:
        self.kind = "items"
        self.of: Texts = {}
        self.block = block
        names = list(reversed(list(block.columns)))
        bare = {_squeeze(re.sub(r"\s\(.*\)$", "", name)): name for name in names}  # Grade (1-5)
        small = bare | {_squeeze(name): name for name in names}
        ends = {name.rpartition(".")[2]: column for name, column in small.items()}
        self.small = ends | small  # cells inside objects, as payload.file_name

    def find(self, *names: str) -> Names:
        """Return the columns that have no role yet of some names, with blanks between them."""
        columns = dict.fromkeys(map(self.small.get, map(_squeeze, " ".join(names).split())))
        return [name for name in columns if name is not None and name not in self.of.values()]

    def take(self, role: str, names: str, whole: bool = False) -> None:
        """Give a role that no column has to the first of some names; of `whole` numbers only."""
        for column in self.find(names):
            cells = self.block.columns[column]
            if not whole or all(re.fullmatch(r"-?\d*", cell) for cell in cells):
                self.of.setdefault(role, column)
                return

    def read(self, block: Block, role: str) -> list[str]:
        """Return the cells of a role; empty ones where no column has it."""
        return block.columns.get(self.of.get(role, "")) or [""] * len(block.lines)


def name_plainly(column: str) -> str:
    """Return the name of a column in small letters, with lines in place of blanks."""
    return re.sub(r"[\s-]+", "_", column.strip().lower())


def _squeeze(name: str) -> str:
    """Return a name as `videoID` and `video_id` have it alike."""
    return name_plainly(name).replace("_", "")


def find_roles(block: Block, source: Source) -> Roles:
    """Return the roles of a table's columns.

    Raises:
        DataError: If no column names an item, a picture, a query or a vector.
    """
    roles = Roles(block)
    of, take = roles.of, roles.take
    of |= {
        ours: name
        for ours, name in source.options.columns.items()
        if {*split_columns(block, name)} <= block.columns.keys()
    }
    source.mapped.update(of)
    is_of_queries = find_stem(block.file).lower().startswith(("quer", "topic"))
    roles.kind = _find_kind(block, source, roles, is_of_queries)
    if roles.kind == "queries":
        if _is_repeated(block.columns[of["query_id"]]) and not is_of_queries:
            _refuse_numbers(block, source, of)
        take("text", QUERY_TEXT)
        take("image", QUERY_IMAGE)
    elif roles.kind == "items":
        of.pop("query_id", None)
        _find_item_roles(block, source, roles)
        _refuse_pairs(block, source, of)
    return roles


def _find_kind(block: Block, source: Source, roles: Roles, is_of_queries: bool) -> str:
    """Return the kind of a table, and find the column of queries; of pairs, all roles."""
    of, take = roles.of, roles.take
    folder = find_folder_of(block.file).rpartition("/")[2]
    is_asked = is_of_queries or folder in ("query", "queries", "topics")
    is_named = bool({"item_id", "file"} & of.keys() or roles.find(ITEM, FILE))
    take("query_id", f"{QUERY} {SEARCHES if roles.find(GRADE, SCORE, RANK, MARK) else ''}")
    take("query_id", "image1" if roles.find(MARK) else "")
    if _names_queries(block, roles):
        of["query_id"], is_named = roles.find(KEYS)[0], False
    others = [name for name in block.columns if name not in of.values()]
    is_judged = JUDGED.search(find_stem(block.file)) and not roles.find(QUERY_TEXT, *LABELS)
    if len(others) == 1 and is_judged:
        is_named, of["item_id"] = True, others[0]
    may_be_pairs = "query_id" in of and (is_named or roles.find(OTHER))
    if may_be_pairs and _are_pairs(block, source, roles, is_asked):
        return "pairs"
    if "query_id" not in of:
        says = roles.find(QUERY_TEXT) or is_of_queries and roles.find(*LABELS)
        take("query_id", ITEM if is_asked and says and not roles.find(FILE) else "")
        return "queries" if "query_id" in of else "items"
    is_other = "item_id" in roles.small or roles.find(
        GRADE, SCORE, MARK, "clicks category label class"
    )
    is_text = bool(roles.find("query query_text")) and "vid" not in roles.small
    is_text = is_text and not (is_other or _is_repeated(roles.read(block, "query_id")))
    return "queries" if is_of_queries or is_text or not is_named else "items"


def _names_queries(block: Block, roles: Roles) -> bool:
    """Return whether a column as `id` is that of the queries in another one, and of no items."""
    names, query = roles.find(ITEM, FILE, OTHER), roles.of.get("query_id", "")
    if name_plainly(query) not in ("query", "query_text") or roles.find(GRADE, SCORE, RANK):
        return False
    is_repeated = any(_is_repeated(block.columns[name]) for name in (query, *names))
    return names == roles.find(KEYS) and len(names) == 1 and not is_repeated


def _are_pairs(block: Block, source: Source, roles: Roles, is_asked: bool) -> bool:
    """Return whether a table of queries and items is one of pairs, and find its roles."""
    of, take, columns = roles.of, roles.take, block.columns
    take("grade", GRADE)
    take("grade", "label", whole=True)  # PyTerrier
    for name, own in () if roles.find(SCORE, RANK) else columns.items():
        words = dict.fromkeys(cell.strip('[]"').lower() for cell in own if cell)
        is_long = max(map(len, words), default=0) > 1 or RELEVANT.search(name)
        is_free = name not in of.values() and is_long
        fitting = [each for each in source.options.scales if words.keys() <= each.keys()]
        if fitting and (is_free or name == of.get("grade")):
            of.setdefault("grade", name)
            told = ", ".join(f"{word} = {fitting[0][word]}" for word in words)
            source.say(block.file, f"grades in words ({name})", f"numbers; {told}", "note")
        elif name == of.get("grade") and words and not any(map(NUMERAL.fullmatch, words)):
            line = _write_map(source, *(f"N={word}" for word in words))
            line += "  # the grade of each word: N"
            raise Unsure(block.file, f"grades in words ({list_names(words)})", "numbers", [line])
    is_judged = JUDGED.search(block.file)
    if is_judged or "corpusid" in roles.small:
        take("grade", SCORE, whole=not is_judged)
    take("score", SCORE)
    take("rank", RANK, whole=True)
    if "score" in of and "rank" in of:
        numbers = (map(parse_number, columns[of[e]]) for e in ("rank", "score"))
        if rises(zip(columns[of["query_id"]], *numbers, strict=True)):
            told = f"numbers in {of.pop('score')} that rise with the rank"
            source.say(block.file, told, "scores, the highest at rank 1; the rank counts", "note")
        else:
            del of["rank"]
    if JUDGED.search(find_stem(block.file)) and block.file.endswith(".json") and "grade" in of:
        of.pop("rank", None)  # the place in a list of judged items
    keys = KEYS.split()
    take("item_id", " ".join([*sorted(f"{ITEM} {FILE}".split(), key=keys.__contains__), OTHER]))
    take("run", "snapshot_name")
    pairs = zip(columns[of["query_id"]], columns[of["item_id"]], strict=True)
    runs = [name for name in roles.find(RUN) if len({*columns[name]}) == 1]
    if runs or len({*pairs}) < len(block.lines):  # a product's model comes with one pair
        take("run", RUN)
    is_bare = not is_asked and {*columns} == {of["query_id"], of["item_id"]}
    is_stated = source.options.columns.keys() >= {"query_id", "item_id"}
    if not (is_bare or is_stated or of.keys() & {"grade", "score", "rank"}):
        if roles.find(MARK) or _is_repeated(columns[of["item_id"]]):
            _refuse_numbers(block, source, of)
        return False
    text = roles.small.get("query", roles.small.get("querytext", ""))
    of |= {"text": text} if text else {}
    taken = {*of.values(), *roles.find(RANK, SCORE)}
    more = [
        name
        for name, own in columns.items()
        if not (name in taken or NUMBERED.search(name))
        and all(e[:1] in ("[", "") or parse_number(e) == parse_number(e) for e in own)
    ]
    if more and "grade" not in of and not is_stated:
        told = f"columns beside results that may be grades ({list_names(more)})"
        do = f"Type --map query_id={of['query_id']},item_id={of['item_id']},grade={more[0]}"
        do = "Call a list relevant_ids" if "[" in columns[more[0]][0] else do
        source.say(block.file, told, f"what they are; left out. {do}")
    return True


def _write_map(source: Source, *ways: str) -> str:
    """Return the option that maps further columns, too."""
    return f"--map {shlex.quote(','.join(filter(None, (source.options.map, *ways))))}"


def _refuse_numbers(block: Block, source: Source, of: Texts) -> None:
    """Refuse queries that come again, or items, beside what may be grades, which nothing says.

    Raises:
        Unsure: If there are such numbers, or if no column is known to name the items.
    """
    free = [name for name in block.columns if name not in of.values()]
    marks = {name: [parse_number(cell) for cell in block.columns[name] if cell] for name in free}
    numbers = [
        name
        for name, own in marks.items()
        if own and not NUMBERED.search(name) and all(abs(each) <= 100 for each in own)
    ]
    grades = [name for name in numbers if all(map(float.is_integer, marks[name]))]
    ways = [f"grade={name}" for name in dict.fromkeys((*grades, "+".join(grades))) if name]
    for name in filter(LABELS.__contains__, free if _squeeze(of["query_id"]) in QUERY_IDS else ()):
        words = dict.fromkeys(filter(None, block.columns[name]))
        if 1 < len(words) <= MAX_GRADES and name not in numbers:
            ways.append(",".join([f"grade={name}", *(f"N={word}" for word in words)]))
    ways += [
        f"{role}={e}"
        for e in numbers
        if e not in grades
        for role in sorted(("rank", "score"), reverse="dist" not in e.lower())
    ]
    pairs, items = list[str](), ""
    if "item_id" in of:
        pairs = [f"{role}={of[role]}" for role in ("query_id", "item_id")]
        items = f", items in {of['item_id']},"
    else:
        ways = [f"item_id={name}" for name in free if name not in numbers]
    if ways and not source.options.relevance:
        raise Unsure(
            block.file,
            f"queries in the column {of['query_id']}{items} and columns that may be grades",
            "a statement of what they are: grades, scores (the highest first) or ranks",
            [*(_write_map(source, *pairs, each) for each in ways), "--relevance none"],
        )


def _find_item_roles(block: Block, source: Source, roles: Roles) -> None:
    """Find the roles of a table that describes items."""
    of, columns, folder = roles.of, block.columns, find_folder_of(block.file)
    named = roles.find(FILE)
    shares = {
        name: fmean([is_media(source.find_media(e, folder)) for e in own[:200] if e] or [0])
        for name, own in columns.items()
    }
    shares |= dict.fromkeys(block.contents, 1.0)
    likely = [name for name, share in shares.items() if share >= 0.5]
    for name in [*block.contents, *filter(shares.get, named), *likely, *named][:1]:
        of.setdefault("file", name)
    roles.take("poster", POSTER)
    roles.take("caption", CAPTION)
    roles.take("caption_id", CAPTION_ID)
    roles.take("caption", "raw" * ("sentids" in roles.small))  # Karpathy's as a table
    roles.take("caption", "query" * ("vid" in roles.small))  # QVHighlights
    texts = columns.get("name", [])  # WebVid's are sentences
    if texts and not _is_repeated(texts) and fmean(map(len, map(str.split, texts))) > MAX_WORDS:
        of.setdefault("caption", "name")
    spans = [*roles.find(START)[:1], *roles.find(END)[:1]]
    if len(spans) == 2 and all(TIME.fullmatch(e) for name in spans for e in columns[name]):
        of |= zip(SPANS, spans, strict=True)
        for name in roles.find(ITEM):
            if _is_repeated(columns[name]):
                of.setdefault("file", name)
    file = of.get("file", "") if SPANS[0] not in of else ""
    is_repeated = _is_repeated(columns.get(file, ()))
    if "caption" in of and name_plainly(file) in ITEM.split():
        of.setdefault("item_id", of["file"])  # MSR-VTT's clips, beside keys of captions
    for name in roles.find(ITEM):
        is_own = not _is_repeated(columns[name])
        is_class = "file" in of and not is_own and name_plainly(name) != "item_id"
        if "item_id" not in of and not (is_own if is_repeated else is_class):
            of["item_id"] = name
        elif is_own and (is_repeated or "caption" in of and name in roles.find(KEYS)):
            of.setdefault("caption_id", name)
    is_caption = "caption" in of and (is_repeated or _is_repeated(roles.read(block, "item_id")))
    free = [n for n, own in columns.items() if n not in of.values() and not _is_repeated(own)]
    named = list(filter(NUMBERED.search, free))
    shown = [name for name in free if all(map(EXTENSION.search, columns[name]))]
    is_bare = of.keys().isdisjoint(NAMING)
    if block.vectors and len(columns) == 1:
        of |= zip(["item_id"], free, strict=False)  # it names the vectors, whatever its name is
    elif named and (is_caption or rows_are_texts(block, roles)):
        of.setdefault("caption_id", named[0])
    elif is_bare and len(named) == 1 < len(block.lines):
        of["item_id"] = named[0]
    elif is_bare and len(shown) == 1:
        of["file"] = shown[0]
    _leave_out(block, source, of, [name for name in likely if name not in of.values()])
    # a text names no picture
    if of.keys().isdisjoint(NAMING[: 3 - bool(source.media)]) and not block.vectors:
        raise DataError(
            block.file,
            f"the columns {', '.join(columns) or '(none)'}",
            "a column of items, files or queries",
            do="Name its columns: --map item_id=COLUMN, or query_id=A,item_id=B,grade=C.",
        )


def _refuse_pairs(block: Block, source: Source, of: Texts) -> None:
    """Refuse texts most of which several items have, beside what may be grades of each pair.

    Raises:
        Unsure: If numbers or words of grades differ among the items of a text, and the other way.
    """
    item, text = of.get("item_id", of.get("file", "")), of.get("caption", "")
    options, sides = source.options, [block.columns.get(e, []) for e in (text, item)]
    several = Counter(each for each, _ in {*zip(*sides, strict=False)})
    if options.relevance or 2 * sum(n > 1 for n in several.values()) <= len(several):
        return
    for name, own in block.columns.items():
        apart = [len({*zip(side, own, strict=True)}) > len({*side}) for side in sides]
        if name not in of.values() and may_be_grades(name, own, options.scales) and all(apart):
            pair = _write_map(source, f"query_id={text},item_id={item},grade={name}")
            kept = f"{_write_map(source)} " if options.map else ""
            told = f"texts of several items, beside what may be a grade of each pair ({name})"
            wanted = "a statement of whether all of these pairs belong together"
            raise Unsure(block.file, told, wanted, [pair, f"{kept}--relevance captions"])


def _leave_out(block: Block, source: Source, of: Texts, free: Names) -> None:
    """Say which columns of pictures are not taken; raise DataError if a model wrote captions."""
    shown = [n for n in free if n in block.contents or EXTENSION.search(block.columns[n][0])]
    if shown and "file" in of:
        wanted = f"one; {of['file']} is taken. Another one: --map file={shown[0]}"
        source.say(block.file, f"further columns of pictures ({list_names(shown)})", wanted)
    is_beside = "image_id" in block.columns and re.search(
        r"captions_\w+20\d\d\.json", " ".join(source.files)
    )
    if (
        (is_beside or OF_MODELS.search(find_stem(block.file)))
        and "caption_id" not in of
        and "caption" in of
        and len(of) == len(block.columns)
        and not block.vectors
    ):
        raise DataError(block.file, "a model's captions, by its name", "those of people")


def split_columns(block: Block, names: str) -> Names:
    """Return the columns of a role: one, or several as `ann+bob`."""
    return [names] if names in block.columns else names.split("+")


def rows_are_texts(block: Block, roles: Roles) -> bool:
    """Return whether a table holds vectors of texts, and nothing that describes an item."""
    is_one = "item_id" not in roles.of or len(block.columns) == 1
    described = roles.of.keys() & {"file", "caption", "poster"}
    is_named = name_version(block.file)[1] == "texts"
    return bool(block.vectors and is_one and is_named and not described)


def _is_repeated(cells: Names) -> bool:
    filled = list(filter(None, cells))
    return len(set(filled)) < len(filled)
