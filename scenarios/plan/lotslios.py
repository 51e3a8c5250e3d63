# SPDX-License-Identifier: GPL-2.0-or-later
"""The article's statement: a self-join of SYS.OBJ$ that does nothing but logical I/O."""

from importlib.resources import files

LOTSLIOS = files("polltrace.scenarios").joinpath("lotslios.sql").read_text("utf-8")
"""Its bind `n` is the number of rows after which it ends."""
