"""The pages of files: the library, and the signed links of media."""
