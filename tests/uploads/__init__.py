"""Endurance of uploads: other people's clients against the real server, through cut connections and restarts.

python -m tests.uploads                     2 GB by each client, embedded profile
python -m tests.uploads --client python --megabytes 50 --postgres
"""
