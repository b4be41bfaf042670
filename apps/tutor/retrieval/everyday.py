"""What people ask anywhere, whatever a course is about.

A question that is nearer to one of these than to the passages of its course is not about the course. Similarity alone
doesn't say so: the best of a thousand passages is always a bit similar. A course about cooking is nearer to a question
about a recipe than "recipe for a meal" is.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from apps.tutor.retrieval import encoder

_EVERYDAY_TEXT = """
    set an alarm
    remind me to call someone
    add it to my calendar
    what time is it
    what is the date
    weather forecast
    will it be sunny or cold outside
    play a song
    turn on the lights at home
    send an email or a message
    make a phone call
    write a letter of application
    write a text for social media
    write a poem or a song for someone
    write a program or a website for me
    translate this sentence
    tell me a joke
    tell me a story
    draw a picture
    recipe for a meal
    what to cook
    order food for delivery
    book a table at a restaurant
    book a flight
    find a hotel
    travel tips for a city
    visa and passport
    directions to a place
    train and bus times
    rent or buy a car
    repair a car
    buy a phone or a computer
    best product to buy
    price of a product in a shop
    online shopping and delivery
    return a broken product
    bank account and credit card
    loan, mortgage and taxes
    stocks, shares and crypto to invest in
    currency exchange
    job offers and salary
    letter to an authority or a landlord
    legal advice
    medical advice about symptoms
    which medicine to take
    diet and losing weight
    fitness and workouts
    relationship problems with a partner
    feeling sad and alone
    care of pets
    care of children
    repair something at home
    plumbing and heating repair
    household cleaning and laundry
    phone, printer or computer doesn't work
    internet connection and passwords
    news of today
    elections and politicians
    president or prime minister of a country
    who won the match
    sports results
    film and series recommendations
    celebrities and actors
    video games
    music charts and concerts
    tickets for an event
    horoscope and fortune telling
    lottery numbers
    gifts for a birthday
    fashion and clothes
    makeup and hair
    religious advice"""
EVERYDAY_SUBJECTS = tuple(line.strip() for line in _EVERYDAY_TEXT.strip().splitlines())
"""Subjects of everyday requests; no single questions, so that the list says nothing about how somebody asks."""


def everyday_similarity(question: str) -> float:
    """Return the similarity of a question to the nearest everyday subject, from -1 to 1."""
    return float((_vectors() @ encoder.encode([question])[0]).max())


@cache
def _vectors() -> NDArray[np.float32]:
    return encoder.encode(EVERYDAY_SUBJECTS)
