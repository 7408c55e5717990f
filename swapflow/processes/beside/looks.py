"""All looks that a coordinator takes beside its turns."""

from collections.abc import Iterator

from swapflow.engine.services import Swapflow
from swapflow.files.intake.run import Drops
from swapflow.identity.services import Office
from swapflow.processes.beside.drop_folders import drop_folders
from swapflow.processes.beside.held_acts import held_acts
from swapflow.processes.beside.nightly_deletion import nightly_deletion
from swapflow.processes.beside.now_and_then import NowAndThen
from swapflow.processes.beside.returned_mails import returned_mails
from swapflow.processes.beside.to_do_mails import to_do_mails
from swapflow.processes.deployment import command
from swapflow.settings import Settings


def looks_of(product: Swapflow, office: Office, settings: Settings) -> Iterator[NowAndThen]:
    """Return what a deployment has looked at, in the order in which it is."""
    yield held_acts(product)
    yield from to_do_mails(product, office, hour=settings.digest_hour)
    yield nightly_deletion(product)
    drops = Drops.of(settings, settings.data_dir)
    if drops is not None:
        yield drop_folders(product, drops, argv=command("exchange", "run", "--json"))
    if settings.bounce_imap_host is not None:
        yield returned_mails(product, settings)
