"""Offsets as browsers count them: JavaScript's strings are UTF-16."""


def units(text: str) -> int:
    """Return the length of a text in JavaScript."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def after(text: str, offset: int) -> str:
    """Return what follows the first ``offset`` units; never half of a character."""
    if text.isascii():
        return text[offset:]
    return text.encode("utf-16-le")[2 * offset :].decode("utf-16-le", "ignore")


def storable(text: str) -> str:
    """Return the text without what no database takes: zero bytes, and halves of characters."""
    if "\0" in text:
        text = text.replace("\0", "")
    return text if text.isascii() else text.encode(errors="replace").decode()
