"""Which page numbers a pager shows."""


def shown_pages(number: int, pages: int) -> list[int | None]:
    """First, last and current page with its neighbors; None marks a gap.

    >>> shown_pages(5, 17)
    [1, None, 4, 5, 6, None, 17]
    """
    wanted = sorted({1, pages, *(n for n in (number - 1, number, number + 1) if 1 <= n <= pages)})
    shown: list[int | None] = []
    for before, page in zip([0, *wanted], wanted, strict=False):
        if page - before == 2:
            shown.append(page - 1)  # a gap of one page is that page
        elif page - before > 2:
            shown.append(None)
        shown.append(page)
    return shown
