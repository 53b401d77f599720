"""How the documentation is built: ``make docs``.

Nothing is fetched, neither while building nor by a reader's browser: fonts and scripts come with
packages, formulas are MathML, and links to other projects are plain links.
"""

import importlib
import inspect
import re
import sys
import tomllib
import warnings
from pathlib import Path

from sphinx.util.inspect import stringify_signature

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
sys.path.insert(0, str(HERE.parent / "src"))

import untaint  # noqa: E402, the checkout's own

project = "untaint"
author = "The untaint authors"
project_copyright = author
release = version = untaint.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    "mathml",
    "commands",
    "inherited_parameters",
    "sidebar_names",
]
exclude_patterns = ["_build", "**/GALLERY_HEADER.rst"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # some settings are functions

# Pages are Markdown as any forge shows it; guides may use fences of three colons as well.
myst_enable_extensions = ["colon_fence", "dollarmath", "amsmath", "attrs_inline", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

# Reference pages: docstrings state the types of parameters, so that signatures need not.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = False
napoleon_use_rtype = False
# A list under the heading "Attributes"; Sphinx's own fields would be headed "Variables".
napoleon_custom_sections = [("Attributes", "params_style")]
# Napoleon escapes the trailing underscores of fitted attributes, which would vanish otherwise.
strip_signature_backslash = True


def is_ours(module, class_name, method):
    """Whether a method is more than what every scikit-learn estimator has."""
    member = getattr(getattr(importlib.import_module(module), class_name), method)
    return str(getattr(member, "__module__", "")).startswith("untaint")


autosummary_context = {"is_ours": is_ours}

# An icon that links to the repository, once pyproject.toml names one.
PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text("utf-8"))["project"]
repository = {
    name: url
    for name, url in PROJECT.get("urls", {}).items()
    if name.lower() in ("repository", "source")
}
icon_links = [
    {"name": name, "url": url, "icon": "fa-brands fa-git-alt"} for name, url in repository.items()
]

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "untaint"
html_static_path = ["_static"]
html_css_files = ["untaint.css"]
html_favicon = "_static/mark.svg"
html_show_sourcelink = False
html_show_sphinx = False
html_copy_source = False
html_sidebars = {"index": []}
html_theme_options = {
    "logo": {
        "text": "untaint",
        "image_light": "_static/mark.svg",
        "image_dark": "_static/mark.svg",
        "alt_text": "untaint, home",
    },
    "navbar_end": ["theme-switcher", "navbar-icon-links"] if icon_links else ["theme-switcher"],
    "icon_links": icon_links,
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# Blocks of plain text are outputs, which nobody copies.
copybutton_selector = "div:not(.highlight-text) > div.highlight > pre"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


FILTERS = warnings.filters[:]


def picture_style(gallery_conf, fname):
    """The same plain look for every figure, whatever an example before it has set."""
    import matplotlib

    matplotlib.rcdefaults()
    matplotlib.rcParams.update({"figure.figsize": (7.2, 4.2), "font.size": 10.5})
    warnings.filters[:] = FILTERS


class Storyline:
    """From the first claim to the last doubt; what is not named comes at the end."""

    names = (
        "robust_curve",
        "share_is_estimated",
        "everyday_tools",
        "any_learner",
        "leverage",
        "flipped_labels",
        "one_sided_flips",
        "audit_fdr",
        "monitoring",
        "displays",
        "noisy_views",
        "privacy",
        "many_rows",
        "acceleration",
        "what_cannot_be_seen",
    )

    def __init__(self, folder):
        pass

    def __call__(self, filename):
        """Where an example stands."""
        name = filename.removeprefix("plot_").removesuffix(".py")
        return (self.names.index(name) if name in self.names else len(self.names), name)

    def __repr__(self):
        return "Storyline"


sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"(^|/)(?!plot_)[^/]*\.py$",  # scripts, which write to given paths
    "within_subsection_order": Storyline,
    "reset_modules": (picture_style,),
    "image_srcset": ["2x"],
    "thumbnail_size": (800, 560),  # twice as large as they are shown
    "abort_on_example_error": True,
    "download_all_examples": False,
    "write_computation_times": False,
    "min_reported_time": float("inf"),  # how long a build took says little to a reader
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
}

# Pages outside of this folder, and the pages that include them.
ELSEWHERE = {
    "README": "/index.md",
    "benchmarks/README": "/benchmarks.md",
    "CONTRIBUTING": "/contributing.md",
    "CHANGELOG": "/changelog.md",
}


def link_outside_pages(app, docname, source):
    """Let links that work in the repository work in the site too."""

    def page(link):
        return f"]({ELSEWHERE[link[1]]}" if link[1] in ELSEWHERE else link[0]

    # Tables of studies are files to take away, and not pages.
    table = r"\[`?([^\]`]*)`?\]\(((?:\.\./)+benchmarks/results/[\w-]+\.md)\)"
    text = re.sub(table, r"{download}`\1 <\2>`", source[0])
    text = re.sub(r"\]\((?:\.\./)+([\w/]+)\.md", page, text)
    source[0] = re.sub(r"\]\((?:\.\./)+examples/(plot_\w+)\.py", r"](/gallery/\1.rst", text)


def own_signature(app, what, name, obj, options, signature, returned):
    """Replace ``(*args, **kwargs)`` of a metaclass by the parameters of the class."""
    if what == "class" and signature == "(*args, **kwargs)":
        signature = stringify_signature(inspect.signature(obj), show_annotation=False)
    return signature, returned


def setup(app):
    """Sphinx's door."""
    app.connect("source-read", link_outside_pages)
    app.connect("autodoc-process-signature", own_signature)
