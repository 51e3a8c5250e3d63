# SPDX-License-Identifier: GPL-2.0-or-later
"""How Sphinx makes the site and the manual page: `make docs`."""

from importlib.metadata import version as version_of

project = "polltrace"
author = "the polltrace authors"
release = version = version_of("polltrace")

extensions = ["myst_parser", "sphinxarg.ext"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["build"]

html_theme = "furo"
html_title = "polltrace"
html_show_sphinx = False
html_copy_source = False

man_pages = [("commands", "polltrace", "see, price and fix Oracle's break polling", [author], 1)]
man_show_urls = True
