"""The invitations to seats of a team: their keys, and the emails with their links.

An invitation belongs to its link: anyone with an account may follow it, because people learn with other addresses than
they work with. Two things limit this: an invitation whose address belongs to an account is that account's, and people
who are invited to the same team by an address of their own take the seat that is theirs.
"""

import hashlib
import secrets
from datetime import datetime
from uuid import UUID

from django.utils.formats import date_format
from django.utils.timezone import localtime

from apps.accounts.models import User
from apps.billing.errors import SeatInvitationUnknown, SeatInvitationUsed
from apps.billing.models import Seat, SeatUse
from studyplatform.kit import encryption, mail

INVITATION_PURPOSE = "seat invitation"
MAX_KEY_LENGTH = 100


def hash_invitation(key: str) -> str:
    """Return the hash by which an invitation is stored and found; "" for what can't be a key."""
    return hashlib.sha256(f"seat {key}".encode()).hexdigest() if 0 < len(key) <= MAX_KEY_LENGTH else ""


def key_of(seat: Seat) -> str:
    """Return the key of a seat's invitation, which is part of its link."""
    return encryption.decrypt(seat.encrypted_invite, purpose=INVITATION_PURPOSE)


def invite(seat: Seat, address: str, *, sender: User, now: datetime) -> None:
    """Invite someone to a free seat, which the caller has locked."""
    key = secrets.token_urlsafe(24)
    seat.email, seat.invite_hash, seat.invited_at = address, hash_invitation(key), now
    seat.encrypted_invite = encryption.encrypt(key, purpose=INVITATION_PURPOSE)
    seat.mail_uid = send_invitation(seat, sender)
    seat.save(update_fields=["email", "invite_hash", "invited_at", "encrypted_invite", "mail_uid"])


def send_invitation(seat: Seat, sender: User) -> UUID:
    """Email the link of an invitation. Returns the job that delivers it."""
    pack = seat.pack
    sent = mail.send(
        "seat-invitation",
        to=seat.email,
        link=f"/seats/{key_of(seat)}",
        team=pack.team.title,
        sender=sender.display_name,
        course=pack.course.title if pack.course else "",
        until=date_format(localtime(pack.ends_at), "j F Y") if pack.ends_at else "",
    )
    return sent.uid


def invitation_by_key(key: str) -> Seat:
    """Return the seat to which a link invites. At most two queries.

    :raises SeatInvitationUnknown: there is no such invitation, or it was canceled.
    :raises SeatInvitationUsed: it was accepted.
    """
    name = hash_invitation(key)
    if not name:
        raise SeatInvitationUnknown
    seat = Seat.objects.select_related("pack__team__owner", "pack__course").filter(invite_hash=name).first()
    if seat is None:
        raise SeatInvitationUsed if SeatUse.objects.filter(invite_hash=name).exists() else SeatInvitationUnknown
    return seat


def seat_by_used_key(*, user: User, key: str) -> Seat | None:
    """Return the seat that the user holds because they accepted this invitation. One query."""
    name = hash_invitation(key)
    uses = SeatUse.objects.filter(invite_hash=name, user=user, ended_at=None) if name else SeatUse.objects.none()
    use = uses.select_related("seat").first()
    return use.seat if use else None
