"""``python -m studyplatform.demo.draw [--stills FOLDER] [course or course/film ...]``."""

from __future__ import annotations

import argparse
from pathlib import Path

from studyplatform.demo.draw.film import Film, shoot, stills
from studyplatform.demo.draw.videos import FILMS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m studyplatform.demo.draw", description=__doc__)
    parser.add_argument("names", nargs="*", help="a course's slug, or course/film; all without one")
    parser.add_argument("--stills", type=Path, help="draw moments into this folder instead")
    parser.add_argument("--count", type=int, default=12, help="how many moments")
    choice = parser.parse_args()

    def wanted(film: Film) -> bool:
        names = (film.course, f"{film.course}/{film.name}", film.name)
        return not choice.names or any(name in choice.names for name in names)

    for film in filter(wanted, FILMS):
        if choice.stills:
            for path in stills(film, choice.stills, choice.count):
                print(path)
        else:
            shoot(film)


if __name__ == "__main__":
    main()
