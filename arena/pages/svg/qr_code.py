"""Draw a QR code as one path, black on white in every theme: cameras need the contrast."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from qrcode.constants import ERROR_CORRECT_M
from qrcode.main import QRCode

QUIET_ZONE = 4
"""Modules of white around it, as the standard asks for."""


def draw_qr_code(text: str) -> SafeString:
    """Return the code of a text as SVG; the text stands beside it, so screen readers skip it."""
    code = QRCode(error_correction=ERROR_CORRECT_M, border=QUIET_ZONE)
    code.add_data(text)
    rows = code.get_matrix()
    runs = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark)
    drawing = (
        '<svg class="qr" viewBox="0 0 {0} {0}" aria-hidden="true" shape-rendering="crispEdges">'
        '<rect width="{0}" height="{0}" fill="#fff"/><path d="{1}" fill="#000"/></svg>'
    )
    return format_html(drawing, len(rows), runs)
