"""Passkeys (WebAuthn): the relying party and the challenge."""
