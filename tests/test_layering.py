"""The import rule and the length rule of the house, read from the source."""

import ast
import functools
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "tlmviz"
FILES = sorted(PACKAGE.rglob("*.py"))
PAGES = sorted((ROOT / "pages").rglob("*.py"))
LONGEST_FUNCTION = 60  # lines, the docstring not counted

# The parts of the package, from the lowest layer up: a part imports lower layers and its own, never a higher one.
LAYERS = (
    {"errors", "parent", "showing"},
    {
        "chat",
        "chat_template",
        "config",
        "digits",
        "evaluation",
        "extras",
        "files",
        "patches",
        "places",
        "recording",
        "routing",
        "tokens",
    },
    {"kernels"},
    {"tracing"},
    {"caches", "protocols", "watching"},
    {"layers"},
    {"networks"},
    {"decoding"},
    {"analysis", "checkpoints", "facades"},  # a model explains itself, and what explains it loads other models
    {"checks", "figures", "monitoring", "training"},
    {"__init__", "hosting", "shots"},
    {"ui"},
    {"notebook"},
    {"site"},
    {"cli"},
    {"__main__"},
)
RANKS = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imports(path: Path, annotations: bool = True) -> set[str]:
    """Every module a file imports, absolute, functions' own imports included.

    Without `annotations`, those under `if TYPE_CHECKING:` are left out.
    """
    package = list(path.relative_to(ROOT).with_suffix("").parts[:-1])
    body = [node for node in parsed(path).body if annotations or not is_for_annotations(node)]
    found = set()
    for node in ast.walk(ast.Module(body, type_ignores=[])):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def is_for_annotations(node: ast.stmt) -> bool:
    """Whether a statement is `if TYPE_CHECKING:`, which never runs."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@functools.cache
def part(module: str) -> str | None:
    """The part of tlmviz a dotted name lies in; None outside tlmviz."""
    names = module.split(".")
    if names[0] != "tlmviz":
        return None
    if len(names) > 1 and ((PACKAGE / names[1]).is_dir() or (PACKAGE / f"{names[1]}.py").is_file()):
        return names[1]
    return "__init__"


def label(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_imports_go_one_way():
    wrong = []
    for path in FILES:
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        assert own in RANKS, f"give {own} a layer"
        for module in imports(path):
            other = part(module)
            if other is not None and RANKS[other] > RANKS[own]:
                wrong.append(f"{label(path)} imports {module}")
    assert not wrong, wrong


def test_figures_import_numpy_and_plotly_only():
    """And what names the extra that brings Plotly. For annotations, also the dataclasses they draw, of analysis and
    decoding."""
    figures = [path for path in FILES if "figures" in path.parts]
    assert figures
    for path in figures:
        run = imports(path, annotations=False)
        for module in run:
            top = module.split(".")[0]
            known = top in {"numpy", "plotly"} | sys.stdlib_module_names
            assert known or part(module) in {"figures", "extras"}, f"{label(path)} imports {module}"
        for module in imports(path) - run:
            assert module.startswith("plotly") or part(module) in {"analysis", "decoding"}, (
                f"{label(path)} imports {module}"
            )


def test_streamlit_and_triton_stay_in_their_places():
    for path in FILES:
        tops = {module.split(".")[0] for module in imports(path)}
        assert "streamlit" not in tops or "ui" in path.relative_to(PACKAGE).parts, label(path)
        assert "triton" not in tops or path.stem.endswith("_triton"), label(path)
        assert not {"pages", "app", "tests"} & tops, label(path)


def functions(path: Path) -> dict[str, int]:
    """Every function of a file with its number of lines, without the docstring's."""
    found = {}
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = node.body[0] if ast.get_docstring(node) else None
            prose = docstring.end_lineno - docstring.lineno + 1 if docstring else 0
            name = f"{label(path)}:{node.name}"
            # Methods of several classes may share a name: the longest counts.
            found[name] = max(found.get(name, 0), node.end_lineno - node.lineno + 1 - prose)
    return found


def is_kernel(name: str) -> bool:
    """Whether a function of `functions` is a Triton kernel: `..._kernel` in a file `..._triton.py`."""
    path, _, function = name.partition(":")
    return path.endswith("_triton.py") and function.endswith("_kernel")


def test_functions_are_short():
    """Triton kernels are exempt: parts of one share so many pointers, masks and tiles that a call would list them
    all."""
    lines = {name: count for path in FILES + PAGES for name, count in functions(path).items()}
    long = {name: count for name, count in lines.items() if count > LONGEST_FUNCTION and not is_kernel(name)}
    assert not long, f"longer than {LONGEST_FUNCTION} lines: {long}"


def test_a_page_imports_no_other_page():
    """`pages/<chapter>/<page>/...` imports its own folder, never another one."""
    wrong = []
    for path in PAGES:
        parts = path.relative_to(ROOT).parts
        own = ".".join(parts[:3]) if len(parts) > 3 else "pages"
        others = [module for module in imports(path) if module.startswith("pages.") and module.count(".") > 1]
        wrong += [f"{label(path)} imports {module}" for module in others if not module.startswith(own)]
    assert not wrong, wrong


# The parts of the JavaScript, from the lowest up; a component imports those of lower ranks, a page none of another's.
SCRIPTS = (
    "tlmviz/ui/components/canvas",
    "tlmviz/browser",
    "tlmviz/ui/components/engine",
    "tlmviz/ui/components/page_script",
    "tlmviz/ui/components",
    "tlmviz/site",
    "pages",
)
NAMED = {
    "#canvas": "tlmviz/ui/components/canvas",
    "#components": "tlmviz/ui/components",
    "#browser": "tlmviz/browser",
    "#site": "tlmviz/site",
}


def script_part(path: str) -> tuple[int, str]:
    """The rank of a script, and the folder whose scripts may import each other."""
    rank, folder = next((n, folder) for n, folder in enumerate(SCRIPTS) if path.startswith(f"{folder}/"))
    deep = {"pages": 3, "tlmviz/ui/components": 4}.get(folder)
    return rank, "/".join(path.split("/")[:deep]) if deep else folder


def script_imports(path: Path) -> Iterator[str]:
    """What a script imports, from the root."""
    for name in re.findall(
        r'^(?:import|export)\b[^"\n]* from "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE
    ):
        first, _, rest = name.partition("/")
        at = f"{NAMED[first]}/{rest}" if first in NAMED else os.path.normpath(path.parent.relative_to(ROOT) / name)
        yield str(at)


def test_scripts_import_one_way():
    files = [path for top in ("tlmviz", "pages") for path in (ROOT / top).rglob("*.js")]
    found = [(label(path), other) for path in files for other in script_imports(path)]
    assert len(found) > 1000
    wrong = []
    for path, other in found:
        (rank, own), (theirs, part_of_other) = script_part(path), script_part(other)
        if own != part_of_other and theirs >= rank:
            wrong.append(f"{path} imports {other}")
    assert not wrong, wrong


def test_the_reader_of_imports_sees_each_form():
    """The rules above are only as good as this: relative, absolute and nested imports are all found."""
    trace, native = imports(PACKAGE / "tracing" / "trace.py"), imports(PACKAGE / "checkpoints" / "formats.py")
    assert {"tlmviz.kernels", "tlmviz.errors.UnknownName", "torch", "torch.Tensor"} <= trace
    assert {"tlmviz.config.ModelConfig", "tlmviz.networks.transformer.TransformerLM"} <= native
    beam_tree = PACKAGE / "figures" / "translation" / "beam_tree.py"
    assert imports(beam_tree) - imports(beam_tree, annotations=False) == {
        "tlmviz.analysis.translation.beam_tree.Level",
        "tlmviz.decoding.records.Node",
    }
    assert part("tlmviz.layers.positions.alibi_slopes") == "layers"
    assert part("tlmviz.load") == "__init__" and part("torch.nn") is None
