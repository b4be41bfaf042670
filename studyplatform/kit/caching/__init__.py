"""Caches inside one web process, and what keeps them correct. A feature that is not hot needs none of this.

Why: a signed-in page has about 3 ms of CPU (docs/performance.md). Each part here saves a fifth or more of the pages
that use it; docs/adr/0016-caches-that-earn-their-place.md has the figures.

1. ``table_versions`` answers "has anything changed?". ``watch("catalogue", Course)`` installs database triggers that
   write a new random value beside the name "catalogue" whenever a row of the table changes, also outside this code.
   Reading the values is one short query per request, and right in all processes at once.
2. ``versioned.VersionedCache("catalogue").get(key, make)`` returns the value of ``make()``, cached until that version
   changes or the time is over. Use it for query results that all readers share. Never cache what depends on the user.
3. ``fragments``: ``{% call fragment("footer", signed_in) %}…{% endcall %}`` in a template, ``cached_fragment(key,
   make)`` in Python. The rendered HTML is cached under its key, which must name everything that the HTML depends on.
   What depends on such a value uses its ``stamp`` (``versioned.Stamped``) as the key.
4. ``page_cache``: ``@cache_for_visitors("catalogue")`` on a page caches the whole response for people who are not
   signed in. What such a page shows of other tables calls ``depends_on("passages", value)``.
5. ``lru.LruCache`` is the memory of all of them: thread-safe, limited, emptied by ``clear_caches()`` (tests do).

Nothing is invalidated by hand. Old keys are no longer asked for, and leave when the cache is full.
"""
