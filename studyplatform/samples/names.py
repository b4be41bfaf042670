"""The names that /api/demo-names answers with: people who found something out, and their fields."""

import unicodedata
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Name(NamedTuple):
    """A person's name and field."""

    name: str
    field: str | Promise


_FIELDS: dict[Promise | str, str] = {
    _("Mathematics"): "Abu Ja'far al-Khwarizmi, Ada Lovelace, Bernhard Riemann, Carl Friedrich Gauss, Emmy Noether, "
    "Évariste Galois, Hypatia, Leonhard Euler, Maryam Mirzakhani, Niels Henrik Abel, Paul Erdős, "
    "Sofya Kovalevskaya, Sophie Germain, Srinivasa Ramanujan",
    _("Physics"): "Albert Einstein, Chien-Shiung Wu, Émilie du Châtelet, Erwin Schrödinger, Galileo Galilei, "
    "Isaac Newton, James Clerk Maxwell, Lise Meitner, Marie Curie, Michael Faraday, Niels Bohr, Richard Feynman, "
    "Satyendra Nath Bose, Subrahmanyan Chandrasekhar",
    _("Astronomy"): "Annie Jump Cannon, Caroline Herschel, Cecilia Payne-Gaposchkin, Henrietta Swan Leavitt, "
    "Jocelyn Bell Burnell, Johannes Kepler, Nicolaus Copernicus, Tycho Brahe, Ulugh Beg, Vera Rubin",
    _("Biology"): "Alexander von Humboldt, Barbara McClintock, Carl Linnaeus, Charles Darwin, Gregor Mendel, "
    "Jane Goodall, Maria Sibylla Merian, Rachel Carson, Rosalind Franklin, Santiago Ramón y Cajal",
    _("Chemistry"): "Ahmed Zewail, Alfred Werner, Antoine Lavoisier, Dmitri Mendeleev, Dorothy Hodgkin, "
    "Jöns Jacob Berzelius, Marie-Anne Paulze, Percy Julian",
    _("Computing"): "Alan Turing, Barbara Liskov, Donald Knuth, Edsger Dijkstra, Frances Allen, Grace Hopper, "
    "Jean Bartik, Karen Spärck Jones, Katherine Johnson, Konrad Zuse, Margaret Hamilton, Tim Berners-Lee",
}


def _letters(text: str) -> str:
    """The text in lower case and without accents."""
    split = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in split if not unicodedata.combining(letter)).casefold()


NAMES = sorted(
    (Name(name, field) for field, names in _FIELDS.items() for name in names.split(", ")),
    key=lambda one: _letters(one.name),
)


def find_names(search: str) -> list[Name]:
    """The names that contain the search, whatever its case and accents; all names for an empty search."""
    wanted = _letters(search)
    return [one for one in NAMES if wanted in _letters(one.name)]
