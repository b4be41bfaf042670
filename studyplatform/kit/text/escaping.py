"""Text as a part of Markdown."""


def escape_markdown(text: str) -> str:
    """Return the text so that Markdown shows it as it is."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|~$" else char for char in text)
