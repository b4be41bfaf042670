"""Documents as PDFs, drawn with ReportLab: fonts that are embedded, and lines of text in any script."""

from studyplatform.kit.pdf.text import DISPLAY, ITALIC, PLAIN, register_fonts, runs_of, width_of, write

__all__ = ["DISPLAY", "ITALIC", "PLAIN", "register_fonts", "runs_of", "width_of", "write"]
