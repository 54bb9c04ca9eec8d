"""`init --update`: what people put into a collection stays, and what they changed."""

from pathlib import Path

import numpy as np
import pytest

from dashboard.__main__ import main
from tests.plugins.importers.sources import init, make_source
from tests.plugins.importers.test_formats import LABELS, VECTORS
from tests.plugins.importers.test_options import GOOD

OWN = ("notes.md", "posters/own.txt", "media/mine.png", "submissions/notes.txt", ".git/config",
       "models/v1/notes.md", "vocabulary.toml")  # fmt: skip


def test_files_of_people(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They stay, once and again; files that `init` wrote for what is gone do not."""
    pictures = {f"{name}.png": at for at, name in enumerate("abcd", 1)}
    made = init(make_source(source, GOOD | pictures), capsys)
    for name in OWN:
        (made.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (made.folder / name).write_text(name)
    (made.folder / "link").symlink_to(source)
    (source / "d.png").unlink()
    for _ in range(2):
        made = init(source, capsys, "--update")
        assert made.code == 0, made.said
        assert [(made.folder / name).read_text() for name in OWN] == [*OWN]
        assert (made.folder / "link" / "labels.csv").is_file()
        assert sorted(p.name for p in (made.folder / "media").iterdir()) == [
            "a.png", "b.png", "c.png", "mine.png"]  # fmt: skip
    (made.folder / "vocabulary.toml").unlink()
    assert not (init(source, capsys, "--update").folder / "vocabulary.toml").exists()


def test_settings_of_people(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A changed class and its own column stay until --relevance says otherwise."""
    rows = "id,class,colour\na,cat,red\nb,dog,red\nc,cat,blue\nd,dog,blue\n"
    made = init(make_source(source, {"x.csv": rows}), capsys, "--relevance", "class")
    settings, items = (made.folder / name for name in ("collection.toml", "items.csv"))
    lines = zip(items.read_text().splitlines(), ["breed", *"1221"], strict=True)
    items.write_text("".join(f"{line},{cell}\n" for line, cell in lines))
    settings.write_text(settings.read_text().replace('label = "class"', 'label = "breed"'))
    make_source(source, {"x.csv": "id,class\na,cat\nb,dog\nc,cat\ne,dog\n"})
    made = init(source, capsys, "--update")
    assert made.read("items.csv", "item_id breed") == ["a|1", "b|2", "c|2", "e|"], made.said
    assert "colour" not in items.read_text()
    assert 'class_label = "breed"' in settings.read_text()
    assert "found class_label = 'breed', and 'class' by the source" in made.said
    assert made.block[0].endswith("but collection.toml says class_label = 'breed', which counts")
    assert "which counts" not in init(source, capsys, "--update", "--relevance", "class").block[0]
    assert 'class_label = "class"' in settings.read_text()


def test_kept_versions(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The answer names versions that only the collection has, and not how to add a first one."""
    make_source(source, {"labels.csv": LABELS})
    init(source, capsys)
    for name in ("v1.1", "v2"):
        np.savez(source.parent / "x.npz", ids=list("abcd"), rows=VECTORS)
        assert main(["add", "made", name, "--items", str(source.parent / "x.npz")]) == 0
    made = init(source, capsys, "--update")
    assert made.block[2] == "Versions: v1.1 (kept); v2 (kept)" and not made.lines
    assert made.address.endswith("/compare?collection=made")


def test_stale_indexes(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are left out with the line that builds them again; one that still fits stays."""
    init(make_source(source, GOOD), capsys)
    np.savez(source.parent / "x.npz", ids=list("abcd"), rows=VECTORS)
    assert main(["add", "made", "v2", "--items", str(source.parent / "x.npz")]) == 0
    for name in ("v1", "v2"):
        assert main(["index", "made", "--version", name, "--factory", "Flat"]) == 0
    settings = source.parent / "data" / "made" / "collection.toml"
    settings.write_text(settings.read_text() + 'default_candidate = "v2 (index)"\n')
    made = init(source, capsys, "--update")
    assert made.code == 0 and "v2 (index) (kept)" in made.block[2], made.said
    assert (made.folder / "models" / "v1" / "index.faiss").is_file()
    (source / "labels.csv").write_text(LABELS.replace("d,dog\n", ""))
    made = init(source, capsys, "--update")
    assert made.code == 0, made.said
    for name in ("v1", "v2"):
        assert not (made.folder / "models" / name / "index.faiss").exists()
        typed = f"python -m dashboard index made --version {name} --factory Flat"
        assert "left out" in made.said and typed in made.said
    assert "default_candidate" not in settings.read_text()
    assert main(["check", "made"]) == 0
