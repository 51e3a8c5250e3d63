# SPDX-License-Identifier: GPL-2.0-or-later
"""A self-contained HTML page without scripts, fit for a ticket."""

from __future__ import annotations

import base64
import hashlib
from html import escape

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; margin: 2rem auto; max-width: 60rem;
  padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; }
svg { width: 100%; height: auto; background: #fff; font-size: 12px; }
pre { overflow-x: auto; font-size: 11px; line-height: 1.35; background: #f6f6f6; padding: .8rem; }
.warning { color: #8a3b00; font-weight: 600; }
"""


def document(title: str, heading: str, body: str) -> str:
    """The page; `body` is HTML, the others are text."""
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{escape(title)}</title>
<style>{_STYLE}</style></head>
<body>
<h1>{escape(heading)}</h1>
{body}
</body></html>
"""
