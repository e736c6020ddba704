"""Pages that are generated when the site is built: the API from docstrings, the gallery from its programs.

Input: the installed package and `docs/gallery`. Output: Markdown. The same functions serve the tests.
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

HERE = Path(__file__).parent
GALLERY = ("garch", "orbit", "wave", "bundle", "kalman", "mixture", "neural_ode", "lattice")


def _cleaned(text: str) -> str:
    """A docstring with its examples as code."""
    lines, code, out = inspect.cleandoc(text).split("\n"), False, []
    for line in lines:
        starts = line.startswith((">>> ", "... "))
        if starts and not code:
            out += ["```pycon"]
            code = True
        elif code and not line.strip():
            out += ["```"]
            code = False
        out.append(line)
    return "\n".join([*out, "```"] if code else out)


def _entry(name: str, thing: object) -> str:
    try:
        given = str(inspect.signature(thing)) if not isinstance(thing, type) else ""  # type: ignore[arg-type]
    except (TypeError, ValueError):
        given = ""
    given = re.sub(r"\s*->.*$", "", given.replace("'", ""))
    shown = f"```python\nadjit.{name}{given}\n```\n\n" if given else ""
    return f"### `{name}`\n\n{shown}{_cleaned(inspect.getdoc(thing) or '')}\n"


def api() -> str:
    import adjit
    from adjit.api.transform import Transform

    names = [n for n in adjit.__all__ if n != "Options"]
    classes = [n for n in names if isinstance(getattr(adjit, n), type)]
    parts = ["# API\n\n## Functions\n"]
    parts += [_entry(n, getattr(adjit, n)) for n in names if n not in classes]
    parts.append("## On every transformed function\n")
    for name in ("source", "path", "compile", "report"):
        parts.append(f"### `.{name}(*args)`\n\n{_cleaned(inspect.getdoc(getattr(Transform, name)) or '')}\n")
    from adjit.api.gradient import Gradient

    for name in ("saved", "accumulate", "into"):
        parts.append(f"### `.{name}`\n\n{_cleaned(inspect.getdoc(getattr(Gradient, name)) or '')}\n")
    parts.append("## Options\n\n")
    parts.append(
        "Keyword arguments of every transform, with their defaults:\n\n| option | default |\n|---|---|\n"
    )
    from dataclasses import fields

    parts += [f"| `{f.name}` | `{f.default!r}` |\n" for f in fields(adjit.Options)]
    parts.append("\n## Errors\n")
    parts += [_entry(n, getattr(adjit, n)) for n in classes]
    return "\n".join(parts)


def gallery() -> str:
    parts = [
        "# Gallery\n\nEight problems that need gradients, each a file that runs as it stands "
        "(`docs/gallery` in the repository). The tests run them all.\n"
    ]
    for name in GALLERY:
        text = (HERE / "gallery" / f"{name}.py").read_text(encoding="utf-8")
        doc = ast.get_docstring(ast.parse(text)) or ""
        title, _, rest = doc.partition("\n")
        code = text.split('"""\n', 2)[1] if text.count('"""\n') > 1 else text.split('"""', 2)[2]
        parts.append(f'## {title}\n\n{rest.strip()}\n\n```python title="{name}.py"\n{code.strip()}\n```\n')
    return "\n".join(parts)


STYLE = """
.node rect { fill: #fff; stroke: #1f6f9f; stroke-width: 1.5 } .node.passive rect { stroke: #c8ced4 }
text { font: 14px sans-serif } .head { font: 11px monospace; fill: #5d6b7a } .value { fill: #1f6f9f; font-
weight: 600 }
.gradient { fill: #c2364b; font-weight: 600; text-anchor: end } .edge { fill: none; stroke: #c8ced4; stroke-
width: 1.6 }
"""


def worked(w, x):  # type: ignore[no-untyped-def]
    u = w * x
    a = u * u
    b = 3.0 * u
    return a + b


def picture() -> str:
    """The worked example as the reports draw it."""
    import adjit
    from adjit.report import facts
    from adjit.report.page import drawing

    transform = adjit.value_and_grad(worked)
    args = (2.0, 4.0)
    program = facts.captured(worked, transform.specs(args), transform)
    trace = facts.graph(program, transform, args, transform(*args)[1])
    head, _, rest = drawing(trace).partition(">")
    return f'{head} xmlns="http://www.w3.org/2000/svg"><style>{STYLE}</style>{rest}'


def on_files(files, config):  # type: ignore[no-untyped-def]
    """Called by MkDocs: adds the generated pages."""
    from mkdocs.structure.files import File

    for name, make in (
        ("api.md", api),
        ("gallery.md", gallery),
        ("worked.svg", picture),
    ):
        files.append(File.generated(config, name, content=make()))
    return files
