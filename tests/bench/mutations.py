"""Which errors would the tests notice? Puts one small error after another into a module.

    python -m tests.bench.mutations [MODULE...] [--count 60] [--seed 0] [--jobs 2] [--survivors]

Each mutation changes one operator, constant, condition or statement of a copy in memory, and runs
the tests that `TESTS` names for the module, nearest first, until one fails. Prints the share of
mutations that were caught, and with ``--survivors`` those that were not, as lines of the module.
A mutation that changes nothing but speed counts as not caught: the share is a lower bound.
"""

import ast
import contextlib
import gc
import io
import os
import random
import resource
import sys
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from tests.bench.series import parser

ROOT = Path(__file__).parents[2]

TESTS = {
    "solver/board.py": "tests/solver/test_board.py tests/solver/test_analysis.py "
    "tests/solver/test_game.py tests/solver/test_files.py",
    "solver/analysis.py": "tests/solver/test_analysis.py tests/solver/test_proof.py",
    "calibration/rules.py": "tests/calibration/test_rules.py tests/calibration/test_verdict.py "
    "tests/calibration/test_shown_mines.py",
    "calibration/verdict.py": "tests/calibration/test_verdict.py tests/bot/play/ending",
    "calibration/classify/recognise.py": "tests/calibration/classify/test_agreement.py "
    "tests/calibration/classify/test_recognise.py",
    "calibration/classify/refusals.py": "tests/calibration/classify/test_refusals.py",
    "calibration/read/board.py": "tests/calibration/read",
    "bot/mouse/guard.py": "tests/bot/mouse tests/bot/play/test_clicker.py tests/bot/play",
    "bot/play/clicker.py": "tests/bot/play/test_clicker.py tests/bot/play tests/bot/mouse",
}

LONGEST_S = 60
NOT_PUT_IN, BROKEN = 2, 3
MOST_BYTES = 8 << 30

OTHER_OPERATOR: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Mutation:
    """One error: the line and what changes there; which node, which of its fields, by what."""

    line: int
    text: str
    number: int
    field: str
    value: object


def code_nodes(node):
    """Walk over constants of the module and what functions do: no annotation and no default."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or isinstance(value, ast.arguments):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.ClassDef) and not isinstance(child, ast.FunctionDef):
                continue
            if isinstance(child, ast.AST):
                yield from code_nodes(child)


def errors_of(node):
    """List the errors that can be made in one node, as fields and their new values."""
    match node:
        case ast.Compare(ops=[op, *rest]) if type(op) in OTHER_OPERATOR:
            return [("ops", [OTHER_OPERATOR[type(op)](), *rest])]
        case ast.BoolOp(op=op) | ast.BinOp(op=op) | ast.AugAssign(op=op):
            return [("op", OTHER_OPERATOR[type(op)]())] if type(op) in OTHER_OPERATOR else []
        case ast.UnaryOp(op=ast.Not() | ast.Invert() | ast.USub()):
            return [("op", ast.UAdd() if isinstance(node.op, ast.USub) else None)]
        case ast.Constant(value=bool()):
            return [("value", not node.value)]
        case ast.Constant(value=int() | float()):
            return [("value", node.value + 1), ("value", node.value - 1)]
        case ast.If() | ast.While() | ast.IfExp():
            return [("test", ast.Constant(False)), ("test", ast.Constant(True))]
        case ast.Return(value=ast.AST()) if not isinstance(node.value, ast.Constant):
            return [("value", ast.Constant(None))]
        case ast.Break() | ast.Continue() | ast.Raise() | ast.Expr(value=ast.Call()):
            return [("", None)]
    return []


def mutations(source):
    lines = source.splitlines()
    return [
        Mutation(line := getattr(node, "lineno", 1), lines[line - 1].strip(), number, field, value)
        for number, node in enumerate(code_nodes(ast.parse(source)))
        for field, value in errors_of(node)
    ]


def mutant(source, mutation):
    tree = ast.parse(source)
    node, field, value = [*code_nodes(tree)][mutation.number], mutation.field, mutation.value
    if not field:
        _replace(tree, node, ast.Pass())
    elif field == "op" and value is None:
        _replace(tree, node, node.operand)  # type: ignore[attr-defined]
    else:
        setattr(node, field, value)
    return ast.fix_missing_locations(tree)


def _replace(tree, node, by):
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, name, by)
            elif isinstance(value, list) and node in value:
                value[value.index(node)] = by


def shown(mutation):
    """Say what changes, and where."""
    text, field, value = mutation.text, mutation.field, mutation.value
    new = value[0] if isinstance(value, list) else value
    by = type(new).__name__ if isinstance(new, ast.operator | ast.cmpop | ast.boolop) else new
    by = ast.unparse(by) if isinstance(by, ast.AST) else by
    return f"{mutation.line}: {text}  [{field or 'left out'} {by}]"


def put_in(path, tree):
    """Let the functions and constants of a loaded module be those of another version of it.

    Raises `ValueError` for a function that uses other variables of the one around it, `ImportError`
    if a constant has no value any more.
    """
    module, file = sys.modules[path.removesuffix(".py").replace("/", ".")], str(ROOT / path)
    codes = dict(_codes(compile(tree, file, "exec")))
    gc.unfreeze()
    for found in gc.get_objects():
        if isinstance(found, FunctionType) and found.__code__.co_filename == file:
            code = codes.get(found.__code__.co_qualname, found.__code__)
            if code != found.__code__:
                found.__code__ = code
    for old, new in zip(ast.parse(Path(file).read_text("utf-8")).body, tree.body, strict=True):
        if isinstance(new, ast.Assign) and ast.dump(old) != ast.dump(new):
            values = dict(vars(module))
            try:
                exec(compile(ast.Module([new], []), file, "exec"), values)
            except Exception as error:
                raise ImportError("Nothing could import such a module.") from error
            for name, value in vars(module).copy().items():
                for user in [*sys.modules.values()] if values[name] is not value else ():
                    if getattr(user, "__dict__", {}).get(name) is value:
                        setattr(user, name, values[name])


def _codes(code):
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner.co_qualname, inner
            yield from _codes(inner)


class Mutator:
    """Collects the tests of a module once, and runs them with each mutation in a child process."""

    def __init__(self, path, drawn, jobs):
        self.path, self.drawn, self.jobs = path, drawn, jobs
        self.failed = False
        self.survived: dict[Mutation | None, int] = {}

    def pytest_runtest_logreport(self, report):
        self.failed |= report.failed

    def pytest_runtestloop(self, session):
        """Fork a child for each mutation; the first has none."""
        running: dict[int, Mutation | None] = {}
        for mutation in (None, *self.drawn):
            if len(running) == self.jobs:
                self._wait(running)
            child = os.fork()
            if not child:
                status = BROKEN
                try:
                    status = self._try(session, mutation)
                except KeyboardInterrupt:  # from a test, whose signal nothing handled
                    status = 1
                finally:
                    os._exit(status)
            running[child] = mutation
        while running:
            self._wait(running)
        return True

    def _wait(self, running):
        child, status = os.wait()
        self.survived[running.pop(child)] = status

    def _try(self, session, mutation):
        """Return whether a test fails, or `NOT_PUT_IN`."""
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1), os.dup2(silence, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        if mutation is not None:
            try:
                put_in(self.path, mutant((ROOT / self.path).read_text("utf-8"), mutation))
            except ValueError:
                return NOT_PUT_IN
            except ImportError:
                return 1
        for item, following in zip_longest(session.items, session.items[1:]):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return 1
        return 0


def main():
    made = parser(__doc__, count=60, seed=0, jobs=2, survivors=False)
    made.add_argument("modules", nargs="*", default=list(TESTS), metavar="MODULE")
    options = made.parse_args()
    for path in options.modules:
        every = mutations((ROOT / path).read_text("utf-8"))
        drawn = random.Random(options.seed).sample(every, min(options.count, len(every)))
        mutator = Mutator(path, drawn, options.jobs)
        words = ["-q", "-s", "-p", "no:cacheprovider", f"--timeout={LONGEST_S}"]
        words += ["-W", "ignore::pytest.PytestAssertRewriteWarning", *TESTS[path].split()]
        with contextlib.redirect_stdout(io.StringIO()):
            pytest.main(words, plugins=[mutator])
        if mutator.survived.pop(None, 1):
            sys.exit(f"The tests of {path} fail without any mutation.")
        statuses = {one: status for one, status in mutator.survived.items() if one}
        if BROKEN << 8 in statuses.values():
            sys.exit(f"Mutations of {path} cannot be tried.")
        made = [one for one, status in statuses.items() if status != NOT_PUT_IN << 8]
        missed = [one for one in made if not statuses[one]]
        print(f"{path}: {len(made) - len(missed)} of {len(made)} caught, {len(every)} in all")
        for one in sorted(missed, key=lambda one: one.line) if options.survivors else []:
            print("   ", shown(one))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
