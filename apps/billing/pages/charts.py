"""What the charts of earnings and revenue share."""


def round_up(amount: int, unit: int) -> int:
    """The next 1, 2, 4, 6, 8 or 10 times a power of ten of whole units that is not smaller, so that half is round."""
    step = 10 * unit
    while step * 10 < amount:
        step *= 10
    return next(step * factor for factor in (1, 2, 4, 6, 8, 10) if step * factor >= amount)
