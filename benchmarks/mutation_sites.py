"""Where a source file can be changed so that it computes something else: see mutation.py.

A site is a node of the syntax tree and a way to change it. Sites are numbered in the order of the
tree, so that a file, a node and an operator name a change for as long as the file stays the same.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

from mutation_operators import applied, called, operators

# What is not changed, each with its reason: parameters that by design decide on speed alone.
SPEED_NAMES = {
    "TILE": "size of a tile; the matrix is the same for any",
    "SERIAL": "entries from which threads are worth starting",
    "NARROW": "columns up to which differences are as fast as products",
    "LARGE": "size from which BLAS gets all threads",
    "REBUILD_SHARE": "share of changed rows from which sums are as quickly built anew",
    "MOST_COUPLED": "unknowns from which a preconditioner is made class by class",
}
SPEED_KEYWORDS = {
    "check_finite": "SciPy's own check of input that was checked before",
    "overwrite_a": "lets SciPy reuse memory",
    "overwrite_b": "lets SciPy reuse memory",
    "overwrite_c": "lets SciPy reuse memory",
    "copy": "lets NumPy reuse memory",
    "maxsize": "of a cache",
    "strict": "zip's own check that lengths agree",
    "n_threads": "the result does not depend on it (test_tiles.py)",
}


@dataclass(frozen=True)
class Site:
    """A change: which node of which file, how, and where it shows.

    ``lines`` are those whose tests reach it; ``names`` stand for them where the change is made at
    import, in a module's or a class's constant.
    """

    file: str
    node: int
    operator: str
    line: int
    lines: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def key(self) -> str:
        """Name of the site."""
        return f"{self.file}:{self.line}:{self.node}:{self.operator}"


def sites(file: str, source: str) -> list[Site]:
    """Return all sites of a file."""
    tree = ast.parse(source)
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    found = []
    for node, where in _reachable(tree, _Place()):
        for operator in operators(node, where.bound if where.function else None):
            lines = where.lines or (node.lineno,)
            found.append(Site(file, numbers[id(node)], operator, node.lineno, lines, where.names))
    return sorted(found, key=lambda site: (site.line, site.node, site.operator))


def changed(source: str, site: Site) -> ast.Module:
    """Return the tree of the file with the change made."""
    tree = ast.parse(source)
    target = next(node for number, node in enumerate(ast.walk(tree)) if number == site.node)
    new = applied(copy.deepcopy(target), site.operator)

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is target else self.generic_visit(node)

    return ast.fix_missing_locations(Replace().visit(tree))


def described(source: str, site: Site) -> str:
    """Return the code before and after the change."""
    tree = ast.parse(source)
    target = next(node for number, node in enumerate(ast.walk(tree)) if number == site.node)
    before = ast.unparse(target).splitlines()[0]
    after = ast.unparse(applied(copy.deepcopy(target), site.operator)).splitlines()[0]
    return f"{before}  ->  {after}"


@dataclass(frozen=True)
class _Place:
    """The surroundings of a node."""

    function: bool = False
    lines: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    bound: frozenset[str] = frozenset()
    statement: ast.stmt | None = None


def _reachable(node: ast.AST, where: _Place) -> Iterator[tuple[ast.AST, _Place]]:
    """Return nodes that may be changed, with their places."""
    for child in _children(node):
        inside = where
        if isinstance(child, ast.stmt):
            inside = _entered(child, where)
        yield child, inside
        yield from _reachable(child, inside)
        if isinstance(child, ast.stmt) and where.function:
            where = _Place(True, where.lines, where.names, where.bound | _assigned(child))


def _children(node: ast.AST) -> list[ast.AST]:
    """Return children that may be changed: no annotations, docstrings, messages or assertions."""
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return []
    if isinstance(node, ast.FunctionDef):
        if node.name in ("__repr__", "__str__"):
            return []
        defaults = [d for d in [*node.args.defaults, *node.args.kw_defaults] if d is not None]
        return [*defaults, *node.body]
    if isinstance(node, ast.ClassDef):
        return list(node.body)
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value is not None else []
    if isinstance(node, ast.Assign) and any(
        isinstance(t, ast.Name) and (t.id in SPEED_NAMES or t.id == "__all__") for t in node.targets
    ):
        return []
    if isinstance(node, ast.keyword) and node.arg in SPEED_KEYWORDS:
        return []
    if isinstance(node, ast.IfExp) and "all_blas_threads" in ast.unparse(node):
        return []  # how many threads BLAS gets
    if isinstance(node, ast.Call) and called(node) in ("errstate", "warn", "format", "cast"):
        return []
    return list(ast.iter_child_nodes(node))


def _entered(statement: ast.stmt, where: _Place) -> _Place:
    if isinstance(statement, ast.FunctionDef):
        last = statement.end_lineno or statement.lineno
        return _Place(True, tuple(range(statement.body[0].lineno, last + 1)), (), frozenset())
    if where.function:
        last = statement.end_lineno or statement.lineno
        body = getattr(statement, "body", None)
        if body and not isinstance(statement, ast.FunctionDef):
            last = max(statement.lineno, body[0].lineno - 1)
        lines = tuple(range(statement.lineno, last + 1))
        return _Place(True, lines, (), where.bound, statement)
    names = tuple(sorted(_assigned(statement))) or where.names
    return _Place(False, (), names, frozenset(), statement)


def _assigned(statement: ast.stmt) -> frozenset[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return frozenset()
    return frozenset(
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
