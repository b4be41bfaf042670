"""The certificate as a PDF."""
