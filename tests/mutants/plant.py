"""Plant one fault after the other in a copy of the program, and say which the tests find.

Run before a release, from the project's folder: `python tests/mutants/plant.py [NUMBER ...]`.
The last line counts the faults that were found. A fault whose text is no longer in its file is an
error: replace it by one that is.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FAULTS = (
    ("retrieval/sources.py", "if own < 0:", "if True:"),
    ("retrieval/gallery.py", "self.length - len(gone)", "self.length"),
    ("retrieval/gallery.py", 'self.tie_last - gone.searchsorted(self.tie_last, "right")',
     "self.tie_last"),
    ("retrieval/gallery.py", "np.rint(cosines, out=cosines)", "pass"),
    ("retrieval/gallery.py", "/ MILLION >= least", "/ MILLION > least"),
    ("retrieval/sources.py", "key=ids.__getitem__, reverse=True", "key=ids.__getitem__"),
    ("retrieval/sources.py", "scores = scores.astype(np.float32)", "pass"),
    ("evaluation/judgement.py", " & (np.append(own, -1)[query] != item)", ""),
    ("evaluation/ranking_metrics.py", "np.full(len(block.relevant), k))",
     "np.clip(block.returned, 1, k))"),
    ("evaluation/ranking_metrics.py", "block.rank <= block.relevant[block.row]",
     "block.rank < block.relevant[block.row]"),
    ("evaluation/block.py", "(so_far - before)", "so_far"),
    ("evaluation/ranking_metrics.py", "np.minimum(block.relevant, k)", "block.relevant"),
    ("evaluation/ranking_metrics.py", "np.exp2(block.grade) - 1, block.rank",
     "np.exp2(block.grade), block.rank"),
    ("evaluation/block.py", "-np.sort(-every[every > 0])", "np.sort(every[every > 0])"),
    ("evaluation/block.py", "listed = each.rank <= each.passing", "listed = each.rank > 0"),
    ("evaluation/measurement.py", "null = null | nothing_relevant", "pass"),
    ("evaluation/measurement.py", "& (block.returned == 0) & ~nothing_relevant] = 0.0",
     "& (block.returned == 0) & ~nothing_relevant] = np.nan"),
    ("evaluation/statistics.py", "count / (SIGNS + 1)", "(count - 1) / SIGNS"),
    ("evaluation/statistics.py", "stdtrit(units - 1, 0.975)", "stdtrit(units - 1, 0.95)"),
    ("evaluation/statistics.py", "np.maximum.accumulate(p[order] * factors)", "p[order] * factors"),
    ("evaluation/differences.py", "if any(scenes):", "if False:"),
    ("evaluation/slicing.py", "SMALL_SLICE = 5", "SMALL_SLICE = 3"),
    ("evaluation/judgement.py", ".split()).casefold()", ".split())"),
    ("storage/collection.py", "path.stat().st_mtime_ns, path.stat().st_size", "0, 0"),
    ("storage/media.py", " and path.is_relative_to(base)", ""),
    ("storage/posters.py", "if frame.rotation else picture", "if False else picture"),
    ("study/study.py", "return self._whole.queries[inside]", "return self._whole.queries"),
    ("study/choices.py", "and values[each.key] != each.write(", "and None is each.write("),
    ("tables.py", "if unique:\n        refuse_repeated", "if False:\n        refuse_repeated"),
    ("texts.py", "return value if math.isfinite(value) else math.nan", "return value"),
    ("views/address.py", 'return re.sub(r"([', 'return text or re.sub(r"(['),
    ("views/server.py", 'if scope["type"] == "lifespan" or is_allowed(scope):', "if True:"),
    ("views/queries/queries.js", "element.textContent = text", "element.innerHTML = text"),
    ("views/cards/__init__.py",
     '", ".join(version for version in ranked if version not in row["runs"])',
     '", ".join(ranked)'),
    ("plugins/alfa/judge.py", "find_rows(query).all(axis=0)",
     "find_rows(query).any(axis=0)"),
    ("plugins/alfa/keywords.py", "each.score >= threshold and", "each.score > threshold and"),
    ("plugins/alfa/mapping.py", "if place not in taken and", "if"),
    ("plugins/crossmodal/judge.py", "scored.sum() / len(picture) * from_texts", "from_texts"),
    ("plugins/hashing/judge.py", "unit > 0 if BITS in kinds else unit >= 0", "unit > 0"),
    ("plugins/context/judge.py", "> MAX_INVALID_SHARE", ">= 2"),
    ("plugins/reviews/verdicts.py", "each[-1:] if row.value != WITHDRAWN)", "each[-1:])"),
    ("plugins/reviews/judging_lists.py", "if made.author != author:", "if False:"),
    ("plugins/reviews/judging_lists.py",
     "return [pair for pair in self.pairs if pair not in self.gone]", "return list(self.pairs)"),
    ("plugins/reviews/figures.py", "digest()[0] % 2 else", "digest()[0] < 0 else"),
    ("plugins/reviews/corrections.py", "if 2 * number > votes.total():", "if number:"),
    ("plugins/reviews/routes.py", '(site == "same-origin" if site else', "(True if site else"),
    ("plugins/reviews/store.py", '"BEGIN IMMEDIATE" if writing else "BEGIN"', '"BEGIN"'),
    ("plugins/reviews/commands.py", "protect_rows(rows)", "list(rows)"),
    ("plugins/reviews/answers.js", "this.rows.set(nameOf(entry), entry.before);", ""),
)  # fmt: skip
"""File below `dashboard`, a text in it, and the fault that takes its place."""


def plant_fault(folder: Path, number: int) -> str:
    """Copy what the tests need into a folder, with one fault in it; return its place."""
    name, right, wrong = FAULTS[number]
    for part in ("dashboard", "tests", "findings", ".streamlit", "app.py", "pyproject.toml",
                 "requirements.txt", "README.md", "LICENSE"):  # fmt: skip
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / part)
    (folder / "data").symlink_to(ROOT / "data")
    file = folder / "dashboard" / name
    text = file.read_text()
    if text.count(right) != 1:
        raise SystemExit(f"{name} has {text.count(right)} times: {right}")
    file.write_text(text.replace(right, wrong))
    return f"{name}: {right.splitlines()[0]}"


def find_fault(folder: Path, file: str) -> str:
    """Run the tests, those of the file's room first; return the one that fails, or ""."""
    room, name, *_ = (*Path(file).parts, "")
    near = [f"tests/plugins/{name}"] if room == "plugins" else ["tests/core", "tests/evaluation"]
    for paths in (
        ["tests/browser"] if file.endswith(".js") else near,
        ["tests", "--ignore", "tests/browser"],
        ["tests/browser"],
    ):
        call = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "2", "-p", "no:cacheprovider"]
        skipped = ["--deselect", "tests/test_style.py"]  # a fault is no question of style
        done = subprocess.run([*call, *paths, *skipped], cwd=folder, capture_output=True, text=True)
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        if done.returncode and not failed:
            raise SystemExit(f"pytest ended with {done.returncode}: {done.stdout[-500:]}")
        if failed:
            return failed[0]
    return ""


def main() -> None:
    """Plant the faults of the command line, or all, and count those that are found."""
    numbers = [int(each) for each in sys.argv[1:]] or range(len(FAULTS))
    found = 0
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder:
            place = plant_fault(Path(folder), number)
            test = find_fault(Path(folder), FAULTS[number][0])
        found += bool(test)
        print(f"{number}  {'found' if test else 'MISSED'}  {place}  {test[:120]}", flush=True)
    print(f"{found} of {len(numbers)} faults are found")


if __name__ == "__main__":
    main()
