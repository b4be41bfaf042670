"""Offsets as browsers count them: JavaScript's strings are UTF-16."""


def units(text: str) -> int:
    """Return the length of a text in JavaScript."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def after(text: str, offset: int) -> str:
    """Return what follows the first ``offset`` units; never half of a character."""
    if text.isascii():
        return text[offset:]
    return text.encode("utf-16-le")[2 * offset :].decode("utf-16-le", "ignore")
