"""Where files lie if not in a folder of this machine: a bucket of an S3 store, by environment alone.

The credentials are boto's own business: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the machine's role.
"""

from urllib.parse import urlsplit

from studyplatform.settings import env

S3_BUCKET = env.text("S3_BUCKET")
S3_ENDPOINT_URL = env.text("S3_ENDPOINT_URL").rstrip("/")
S3_REGION = env.text("S3_REGION") or env.text("AWS_REGION") or env.text("AWS_DEFAULT_REGION")
# "virtual": the bucket is part of the host's name, as Amazon wants it; "path": of the path, as most others do.
S3_ADDRESSING = env.text("S3_ADDRESSING", "path" if S3_ENDPOINT_URL else "virtual")
# The lifetime in seconds of a presigned URL with which a browser fetches a segment or a file from the bucket.
S3_LINK_SECONDS = env.number("S3_LINK_SECONDS", 600)


def _origin() -> str:
    """The origin of presigned URLs. A system check compares it with the URLs that boto signs (files.E002)."""
    amazon = f"https://s3.{S3_REGION}.amazonaws.com" if S3_REGION else "https://s3.amazonaws.com"
    parts = urlsplit(S3_ENDPOINT_URL or amazon)
    return (
        f"{parts.scheme}://{S3_BUCKET}.{parts.netloc}"
        if S3_ADDRESSING == "virtual"
        else f"{parts.scheme}://{parts.netloc}"
    )


# The host from which browsers fetch what users uploaded. Empty: from the site itself.
CONTENT_HOST = env.text("CONTENT_HOST")
CONTENT_ORIGIN = f"{urlsplit(env.text('SITE_URL')).scheme or 'http'}://{CONTENT_HOST}" if CONTENT_HOST else ""
CONTENT_LINK_SECONDS = 600  # how long the address of a download there works
S3_ORIGIN = _origin() if S3_BUCKET else ""
S3_STORAGE: dict[str, object] = {}
if S3_BUCKET:
    # Imported only if a bucket is configured: they load slowly.
    from boto3.s3.transfer import TransferConfig
    from botocore.config import Config

    S3_STORAGE = {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "endpoint_url": S3_ENDPOINT_URL or None,
            "region_name": S3_REGION or None,
            "default_acl": None,
            "querystring_auth": True,
            "max_memory_size": 8 * 2**20,  # larger open files are buffered on disk; 0 would keep them in memory
            # In the caller's thread, which has the job's lease and a database connection.
            "transfer_config": TransferConfig(use_threads=False),
            "client_config": Config(
                signature_version="s3v4",
                s3={"addressing_style": S3_ADDRESSING},
                # A page must not wait for minutes if the store does not answer; jobs are retried anyway.
                connect_timeout=5,
                read_timeout=30,
                retries={"mode": "standard", "total_max_attempts": 2},
                # Other stores than Amazon S3 may not support the checksums that boto adds by default.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        },
    }
