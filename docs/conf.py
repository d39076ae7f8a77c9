"""Settings of the documentation site: python -m sphinx -W docs site."""

project = "fad"
author = copyright = "The fad authors"

extensions = ["myst_parser"]
exclude_patterns = []
nitpicky = True

# Pages are Markdown. Headings down to this level can be linked to: page.md#heading.
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]

html_theme = "furo"
html_title = "fad"
html_copy_source = False
