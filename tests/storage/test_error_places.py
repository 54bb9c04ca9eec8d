"""What judging refuses is told with its file and its line, though judging sees no files."""

import shutil
from pathlib import Path

import pytest

from dashboard.__main__ import main
from dashboard.experiment.collection.checking import check
from dashboard.storage.collection.collection import COLLECTIONS, open_collection
from dashboard.storage.runs.runs import line_of_judgement

CASES = {
    "composed, a label": ("openmoji_composed", "qrels.csv", 3, "2", "found label 2 for item"),
    "hashing, a grade": ("openmoji_hashes", "qrels.csv", 4, "7", "found grade 7 for the query"),
    "context, a relevance": ("openmoji_context", "qrels.csv", 5, "700", "found grade 700 of query"),
}


def copied(name: str, tmp_path: Path) -> Path:
    """A copy of a collection without its pictures, to be spoiled."""
    ignored = shutil.ignore_patterns("build", "media", "posters")
    return shutil.copytree(COLLECTIONS / name, tmp_path / name, ignore=ignored)


def changed(folder: Path, line: int, grade: str) -> None:
    """Another grade in one line of a table whose last column it is."""
    lines = folder.read_text(encoding="utf-8").splitlines()
    head, _, _ = lines[line - 1].rpartition(",")
    lines[line - 1] = f"{head},{grade}"
    folder.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
def test_a_grade_that_a_protocol_refuses_is_told_with_its_line(case, tmp_path, capsys):
    name, file, line, grade, found = CASES[case]
    folder = copied(name, tmp_path)
    if not (folder / file).exists():  # the judgements are means of answers
        open_collection(folder, allow_path=True).qrels.to_csv(folder / file, index=False)
    changed(folder / file, line, grade)
    assert main(["measure", str(folder)]) == 2
    assert f"{file}, line {line}: {found}" in capsys.readouterr().err
    errors = check(str(folder)).query("level == 'error'")
    assert (errors["file"] == file).all() and set(errors["line"]) == {line}


def test_a_query_that_the_gallery_holds_is_told_with_its_line(tmp_path, capsys):
    folder = copied("openmoji_hashes", tmp_path)
    path = folder / "queries.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    first = (folder / "items.csv").read_text(encoding="utf-8").splitlines()[1].split(",")[1]
    cells = lines[6].split(",")
    at = next(place for place, cell in enumerate(cells) if cell.endswith(Path(first).suffix))
    cells[at] = first
    lines[6] = ",".join(cells)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(["measure", str(folder)]) == 2
    assert "queries.csv, line 7: found 1 item of the gallery" in capsys.readouterr().err


@pytest.mark.parametrize("name, row", [("j.txt", "q 0 b 7"), ("j.csv", "q,b,7")])
def test_a_plain_file_of_judgements_is_told_by_its_own_name(name, row, tmp_path, capsys):
    first = "q 0 a 1" if name.endswith("txt") else "query_id,item_id,grade"
    (tmp_path / name).write_text(f"{first}\n{row}\n")
    (tmp_path / "r.trec").write_text("q Q0 b 1 2 x\n")
    call = ["measure", "--qrels", f"{tmp_path}/{name}", "--run", f"{tmp_path}/r.trec"]
    assert main([*call, "--scale", "3", "--metrics", "ERR"]) == 2
    assert capsys.readouterr().err.startswith(f"{name}, line 2: found grade 7 of query 'q'")
    assert line_of_judgement(tmp_path / name, "q", "b") == 2
    assert line_of_judgement(tmp_path / name, "q", "c") is None
    assert line_of_judgement(tmp_path / name, "z", "b") is None


def test_judgements_of_nothing_are_told_with_their_line(tmp_path):
    folder = copied("openmoji_composed", tmp_path)
    with (folder / "qrels.csv").open("a", encoding="utf-8") as file:
        file.write("nobody,1F600,1\nc001a,nothing,1\n")
    number = len((folder / "qrels.csv").read_text(encoding="utf-8").splitlines())
    table = check(str(folder)).set_index("line")["found"]
    assert table[number - 1] == "1 judgement of unknown queries (nobody)"
    assert "1 judged item outside the gallery (nothing)" in set(table[[number]])
