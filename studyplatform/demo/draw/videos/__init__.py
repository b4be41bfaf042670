"""Every film of the demo, in the order of its course."""

from studyplatform.demo.draw.film import Film
from studyplatform.demo.draw.videos import linear_algebra, statistics, waves

FILMS: tuple[Film, ...] = (*linear_algebra.FILMS, *waves.FILMS, *statistics.FILMS)
