"""Formulas as MathML, which browsers draw by themselves: no script, and a font that is at hand."""

import re
import unicodedata
from importlib.resources import files
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

# A command that the converter does not know is passed on as it was written.
UNKNOWN = re.compile(r">\\[A-Za-z]+<")
# Browsers know script and bold letters as characters of their own, not as a style.
STYLED = re.compile(r'<(mi|mn) mathvariant="(script|bold)">([A-Za-z0-9])</\1>')
STYLE_NAMES = {"script": "SCRIPT", "bold": "BOLD"}
LIMITS = {"min", "max", "sup", "inf", "lim"}
# Bars that would grow with whatever follows, if they are not told apart from a fence.
BARS = re.compile("<mo>(&#x02016;|&#x0007C;)</mo>")
# A function and a bare argument stand a little apart: log 2.
FUNCTIONS = re.compile(r"(<m([io])>(?:log|ln|exp|sin|cos|det)</m\2>)(?=<m[in]>)")
NAMESPACE = "http://www.w3.org/1998/Math/MathML"
ElementTree.register_namespace("", NAMESPACE)
logger = logging.getLogger(__name__)


def to_mathml(node, display):
    """The formula of a node, with a warning if a part of it was not understood."""
    tex = re.sub(r"\\(?:begin|end)\{(?:equation|gather)\*?\}", "", node.astext().strip())
    if display == "block" and r"\\" in tex and r"\begin{" not in tex:
        tex = rf"\begin{{align*}} {tex} \end{{align*}}"
    tex = re.sub(r"\{(?:aligned|split)\}", "{align*}", tex)
    mathml = STYLED.sub(styled, convert(tex, display=display))
    mathml = BARS.sub(r'<mo stretchy="false">\1</mo>', mathml)
    mathml = FUNCTIONS.sub(r'\1<mspace width="0.167em" />', mathml)
    if display == "block":
        mathml = put_limits_below(mathml)
    unknown = UNKNOWN.search(mathml)
    if unknown:
        logger.warning("formula has an unknown command %s: %s", unknown[0], tex, location=node)
    return mathml


def put_limits_below(mathml):
    """In a formula on its own line, what a minimum is taken over stands below it."""
    root = ElementTree.fromstring(mathml)
    for part in root.iter(f"{{{NAMESPACE}}}msub"):
        if part[0].text in LIMITS or part[0].get("movablelimits") == "true":
            part.tag = f"{{{NAMESPACE}}}munder"
    return ElementTree.tostring(root, encoding="unicode")


def styled(letter):
    """A letter in its style, by the character's name: MATHEMATICAL SCRIPT CAPITAL A."""
    tag, style, plain = letter.groups()
    kind = "CAPITAL " if plain.isupper() else "SMALL "
    name = f"{'' if plain.isalpha() else 'DIGIT '}{unicodedata.name(plain).split()[-1]}"
    words = f"{STYLE_NAMES[style]} {kind if plain.isalpha() else ''}{name}"
    for prefix in ("MATHEMATICAL ", ""):  # some script letters are older than the others
        try:
            return f'<{tag} mathvariant="normal">{unicodedata.lookup(prefix + words)}</{tag}>'
        except KeyError:
            continue
    return letter[0]


def visit_inline(self, node):
    """A formula within a sentence."""
    self.body.append(f'<span class="math">{to_mathml(node, "inline")}</span>')
    raise nodes.SkipNode


def visit_block(self, node):
    """A formula on a line of its own, with its number if it has one."""
    anchor = f' id="equation-{nodes.make_id(node["label"])}"' if node.get("label") else ""
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    self.body.append(f'<div class="math"{anchor}>{to_mathml(node, "block")}{number}</div>')
    raise nodes.SkipNode


def bring_font(app, config):
    """Put the font, which comes with a package, among the static files."""
    config.html_static_path.append(str(files("ziamath") / "fonts"))


def setup(app):
    """Sphinx's door."""
    app.connect("config-inited", bring_font)
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
