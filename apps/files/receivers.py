"""What files does when another app reports something."""

from apps.accounts.events import PersonLeft
from apps.files import services
from studyplatform.kit.events import subscribe


@subscribe(PersonLeft)
def drop_their_uploads(event: PersonLeft) -> None:
    """Nobody is left to finish them. Videos stay while a course shows them."""
    services.drop_uploads(user_id=event.user_id)
