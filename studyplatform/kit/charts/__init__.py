"""Charts that templates draw as SVG: how they are laid out, without a database or a request (docs/adr/0072).

``measures`` writes values and knows the steps of their axes, ``axes`` places them, ``labels`` decides which labels
have room, ``periods`` names days, weeks and months, ``plots`` lays out lines, bars and stacked bars, ``rows``
distributions and funnels, ``sparks`` the small ones within tables. ``trends`` finds what numbers say.
templates/components/charts.html draws what they return. All positions are percentages of the plot from its left and
its top edge, so that a plot has any size; texts keep theirs.
"""
