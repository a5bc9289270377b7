"""Draw an SVG document as PNG: chat programs and social networks show no SVG as the preview of a link."""

from pathlib import Path

import resvg_py

FONTS = [str(path) for path in sorted((Path(__file__).parent / "fonts").glob("*.ttf"))]
"""The site's fonts as the renderer reads them: one file for each weight; see `fonts/README.md`."""


def render_png(drawing: str) -> bytes:
    """Return an SVG document as PNG in the size that it states. No font or file from elsewhere is used."""
    return bytes(resvg_py.svg_to_bytes(svg_string=drawing, skip_system_fonts=True, font_files=FONTS))
