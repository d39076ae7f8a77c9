"""Settings of the documentation site: python -m sphinx -W docs site."""

project = "fad"
author = copyright = "The fad authors"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = []
nitpicky = True

# Pages are Markdown. Headings down to this level can be linked to: page.md#heading.
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]

# The reference is made of docstrings, where `x` is code. Their text tells the types.
default_role = "code"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True

html_theme = "furo"
html_title = "fad"
html_copy_source = False
