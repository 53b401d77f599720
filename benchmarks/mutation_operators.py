"""Ways to change a node of the syntax tree, by name: see mutation.py."""

import ast
from collections.abc import Collection, Iterator

FLIPPED = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
SWAPPED = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
PAIRS = [
    ("min", "max"),
    ("minimum", "maximum"),
    ("any", "all"),
    ("argmin", "argmax"),
    ("floor", "ceil"),
    ("zeros", "ones"),
    ("isfinite", "isnan"),
]
RENAMED = {**dict(PAIRS), **{b: a for a, b in PAIRS}}
# Functions of one argument that may be left out.
TRANSPARENT = {"abs", "sqrt", "log", "exp", "square"}

# Integers up to this are changed by one; larger ones, of which one more is nothing, are doubled.
FEW = 10
# Smaller numbers guard against rounding or underflow: twice as much of it is the same.
GUARD = 1e-6


def called(node: ast.Call) -> str:
    """Return the last part of the name of what is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def operators(node: ast.AST, bound: Collection[str] | None) -> Iterator[str]:
    """Names of ways to change a node; ``bound`` are the names so far of the function it is in."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from (kind.__name__ for kind in FLIPPED[type(node.ops[0])])
    elif isinstance(node, ast.Compare):
        for position, op in enumerate(node.ops):
            yield f"{FLIPPED[type(op)][0].__name__}@{position}"
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in SWAPPED:
        if not _is_text(node):
            yield "swap"
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield "argument"
    elif isinstance(node, ast.BoolOp):
        yield "and/or"
    elif isinstance(node, ast.Constant):
        yield from _constant_operators(node)
    elif isinstance(node, ast.Call):
        if called(node) in RENAMED:
            yield "rename"
        elif called(node) in TRANSPARENT and len(node.args) == 1:
            yield "argument"
    elif isinstance(node, ast.Slice):
        yield from (part for part in ("lower", "upper", "step") if getattr(node, part) is not None)
    elif isinstance(node, ast.Break | ast.Continue):
        yield "break/continue"
    elif isinstance(node, ast.Return) and node.value is not None:
        if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield "none"
    elif isinstance(node, ast.If | ast.IfExp | ast.While) and not isinstance(
        node.test, ast.Compare | ast.Constant | ast.BoolOp | ast.UnaryOp
    ):
        yield "negate"
    if isinstance(node, ast.stmt) and bound is not None and _droppable(node, bound):
        yield "drop"


def _is_text(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.JoinedStr)
        or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in ast.iter_child_nodes(node)
    )


def _constant_operators(node: ast.Constant) -> Iterator[str]:
    if isinstance(node.value, bool):
        yield "not"
    elif isinstance(node.value, int):
        yield from ("+1", "-1") if abs(node.value) <= FEW else ("double", "zero")
    elif isinstance(node.value, float) and 0.0 < abs(node.value) < GUARD:
        yield "zero"
    elif isinstance(node.value, float):
        yield from ("double", "zero") if node.value else ("one",)


def _droppable(node: ast.stmt, bound: Collection[str]) -> bool:
    """Return statements without which a function still runs."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    if isinstance(node, ast.AugAssign | ast.Raise):
        return True
    if isinstance(node, ast.Assign):
        names = [n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        if all(isinstance(t, ast.Subscript) for t in node.targets):
            return True
        plain = all(isinstance(t, ast.Name | ast.Tuple) for t in node.targets)
        return plain and bool(names) and set(names) <= set(bound)
    return False


def applied(node: ast.AST, operator: str) -> ast.AST:
    """Return the node changed; a new one where need be."""
    if operator == "drop":
        return ast.copy_location(ast.Pass(), node)
    if isinstance(node, ast.Compare):
        name, _, position = operator.partition("@")
        node.ops[int(position or 0)] = getattr(ast, name)()
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        node.op = SWAPPED[type(node.op)]()
    elif isinstance(node, ast.UnaryOp):
        return node.operand
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Constant):
        value = node.value
        node.value = {
            "not": lambda: not value,
            "+1": lambda: value + 1,
            "-1": lambda: value - 1,
            "double": lambda: 2 * value,
            "zero": lambda: 0 * value,
            "one": lambda: 1.0,
        }[operator]()
    elif isinstance(node, ast.Call) and operator == "argument":
        return node.args[0]
    elif isinstance(node, ast.Call):
        _rename(node.func)
    elif isinstance(node, ast.Slice):
        setattr(node, operator, None)
    elif isinstance(node, ast.Break | ast.Continue):
        other = ast.Continue() if isinstance(node, ast.Break) else ast.Break()
        return ast.copy_location(other, node)
    elif isinstance(node, ast.Return):
        node.value = ast.Constant(None)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    return node


def _rename(function: ast.expr) -> None:
    if isinstance(function, ast.Attribute):
        function.attr = RENAMED[function.attr]
    elif isinstance(function, ast.Name):
        function.id = RENAMED[function.id]
