"""``python client.py OPTIONS``: upload a file with tuspy; print its URL."""

import json
import sys

from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError

if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    client = TusClient(options["endpoint"], headers=options["headers"])
    uploader = client.uploader(
        options["file"],
        chunk_size=options["chunk"],
        metadata={"filename": "large.bin", "purpose": "file"},
        retries=400,
        retry_delay=0.1,
    )
    while uploader.url is None:
        try:
            uploader.set_url(uploader.create_url())
        except TusCommunicationError as error:
            if error.status_code is not None:
                raise
    uploader.upload()
    sys.stdout.write(f"{uploader.url}\n")
