"""The shape of the repository: sizes, import layers, mirrored tests, nothing that belongs to one machine."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "adjit"
MOST_LINES, MOST_FUNCTION_LINES = 500, 60

# Lower layers first. A module may import from its own layer and from those below.
LAYERS = (
    ("errors", "options", "console"),
    (
        *("compiler.complexes", "compiler.diagnostics", "compiler.fetching", "compiler.ir", "compiler.ops"),
        *("compiler.describing", "compiler.held", "compiler.opaque", "compiler.program"),
    ),
    ("compiler.library", "compiler.analyses", "compiler.passes"),
    (
        "compiler.frontend",
        "compiler.definitions",
        "compiler.adjoint",
        "compiler.kernels",
        "compiler.threads",
        "compiler.codegen",
    ),
    ("compiler.pipeline", "compiler.derived", "compiler"),
    ("runtime",),
    ("api",),
    ("bench", "interop", "report", ""),
    ("demo", "testing"),
    ("shell", "__main__"),
)


def tracked(*patterns: str) -> list[Path]:
    """Files that git knows, or all files where this is not a checkout."""
    done = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode == 0 and done.stdout:
        return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).exists()]
    found = [p for pattern in patterns for p in ROOT.rglob(pattern)]
    return [p for p in found if not {".venv", ".git", "build", "dist"} & set(p.relative_to(ROOT).parts)]


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", tracked("*.py"), ids=lambda p: str(p.relative_to(ROOT)))
def test_files_are_small(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= MOST_LINES or "golden" in path.parts, f"{lines} lines"


def test_functions_are_small() -> None:
    large = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > MOST_FUNCTION_LINES:
                    large.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {length}")
    assert large == []


def test_every_module_says_what_it_is_for() -> None:
    silent = []
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if text.strip() and not ast.get_docstring(ast.parse(text)):
            silent.append(str(path.relative_to(ROOT)))
    assert silent == []


def name_of(path: Path) -> str:
    parts = list(path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> int:
    best, level = -1, len(LAYERS)
    for number, names in enumerate(LAYERS):
        for name in names:
            inside = module == name or (name and module.startswith(name + "."))
            if inside and len(name) > best:
                best, level = len(name), number
    assert level < len(LAYERS), f"{module} belongs to no layer"
    return level


def imports_of(path: Path) -> list[tuple[str, int]]:
    """Modules of this package that a file imports, relative to the package, with the line."""
    package = name_of(path).split(".") if name_of(path) else []
    if path.name != "__init__.py":
        package = package[:-1]
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - (node.level - 1)] if node.level else []
            if not node.level and (node.module or "").split(".")[0] != "adjit":
                continue
            stem = (node.module or "").split(".") if node.module else []
            stem = stem if node.level else stem[1:]
            for alias in node.names:
                whole = [*base, *stem, alias.name]
                target = SOURCE.joinpath(*whole)
                is_module = target.with_suffix(".py").exists() or target.is_dir()
                found.append((".".join(whole if is_module else whole[:-1]), node.lineno))
        elif isinstance(node, ast.Import):
            found += [
                (a.name.partition(".")[2], node.lineno) for a in node.names if a.name.split(".")[0] == "adjit"
            ]
    return found


def test_imports_go_down() -> None:
    upward = []
    for path in modules():
        own = name_of(path)
        for target, line in imports_of(path):
            if layer_of(target) > layer_of(own):
                upward.append(f"{path.relative_to(ROOT)}:{line} imports {target or 'adjit'}")
    assert upward == []


def test_the_compiler_never_compiles() -> None:
    wrong = []
    for path in (SOURCE / "compiler").rglob("*.py"):
        for target, line in imports_of(path):
            if target.split(".")[0] in ("runtime", "api", "demo"):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {target}")
    assert wrong == []


def test_tests_mirror_the_source() -> None:
    """`tests/a/test_b.py` tests `src/adjit/a/b.py`, or the package `a/b`, where the folder `a` is one of the
    source's."""
    lost = []
    for folder in ("api", "bench", "compiler", "console", "interop", "report", "runtime", "shell"):
        for test in (ROOT / "tests" / folder).rglob("test_*.py"):
            relative = test.relative_to(ROOT / "tests").parent / test.stem.removeprefix("test_")
            target = SOURCE / relative
            if (
                not target.with_suffix(".py").exists()
                and not target.is_dir()
                and not (SOURCE / relative.parent).is_dir()
            ):
                lost.append(str(test.relative_to(ROOT)))
    assert lost == []


# Split up, so that this file does not find itself.
FOREIGN = [
    r"\.\./" + "shared",
    "/" + r"(work|farm|root|home/\w+|Users/\w+)" + "/",
    "/tmp" + "/",
]


@pytest.mark.parametrize("pattern", FOREIGN)
def test_nothing_belongs_to_one_machine(pattern: str) -> None:
    found = []
    for path in tracked("*.py", "*.md", "*.toml", "*.yml", "*.txt", "*.ir", ".ci/*", ".gitignore"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if re.search(pattern, line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    assert found == []


def test_the_word_table_is_kept() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for word in ("primal", "tangent", "cotangent", "shadow", "pullback", "saved buffer", "tape"):
        assert f"| {word} |" in text
