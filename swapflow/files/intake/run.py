"""One look at every drop folder: what is whole is taken, what became final is put out."""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from swapflow.domain.cycle import Cycle
from swapflow.engine.services import Swapflow
from swapflow.exchange_settings import ExchangeSettings
from swapflow.files.intake.answer import IntakeAnswer
from swapflow.files.intake.drop_folder import DropFolder, alone, has_drop_folder
from swapflow.files.intake.results import put_out_results, results_due
from swapflow.files.intake.take import Sent, take_file


BY = "drop folder"
"""Who brings what lies in a drop folder."""

REDACTED = "redacted"
"""In a file's name: its documents do not name applicants."""


def with_folders(product: Swapflow) -> tuple[Cycle, ...]:
    """List the programs that exchange files with another system: practice programs do not."""
    return tuple(cycle for cycle in product.cycles.list() if not cycle.is_practice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drops:
    """The drop folders of a deployment.

    Attributes:
        root: Folder with a sub-folder for each program.
        lock: Folder of the lock that lets one process read at a time.
        quiet: Seconds for which a file must have rested.
        most_bytes: Bytes of one file.
        keep_days: Days for which refused files stay.
        clock: Seconds since 1970, as files have them.
    """

    root: Path
    lock: Path
    quiet: float
    most_bytes: int
    keep_days: int
    clock: Callable[[], float] = time.time

    @classmethod
    def of(cls, settings: ExchangeSettings, data_dir: Path) -> "Drops | None":
        """Return the drop folders of a deployment; None where it has none."""
        if settings.drop_folder is None:
            return None
        return cls(
            root=settings.drop_folder,
            lock=data_dir / "exchange",
            quiet=settings.drop_quiet,
            most_bytes=settings.drop_mb * 1_000_000,
            keep_days=settings.drop_keep_days,
        )

    def folder(self, program: str) -> DropFolder | None:
        """Return a program's folder; None if it has none."""
        if not has_drop_folder(self.root, program):
            return None
        return DropFolder(folder=self.root / program, quiet=self.quiet, clock=self.clock)

    def folders(self, programs: Collection[str]) -> dict[str, DropFolder]:
        """Return the folders that there are, by program."""
        found = {one: self.folder(one) for one in programs}
        return {name: one for name, one in found.items() if one is not None}

    def ready(self, programs: Collection[str]) -> tuple[str, ...]:
        """Name the programs in whose folder a whole file lies; costs a listing of each folder."""
        found = self.folders(programs).items()
        return tuple(name for name, one in found if one.begun() or one.whole())

    def run(
        self, product: Swapflow, programs: Collection[str]
    ) -> Iterator[tuple[str, IntakeAnswer]]:
        """Take what is whole, file after file, unless another process is about it."""
        with alone(self.lock) as mine:
            if not mine:
                return
            for name, folder in self.folders(programs).items():
                for one in (*folder.begun(), *map(folder.claim, folder.whole())):
                    if one is None:
                        continue
                    sent = Sent(
                        path=one.path,
                        name=one.path.name,
                        via="folder",
                        by=BY,
                        index=one.index,
                        redacted=REDACTED in one.path.name.casefold(),
                        most_bytes=self.most_bytes,
                    )
                    answer = take_file(sent, product=product, cycle_id=name)
                    folder.answer(one, answer)
                    yield name, answer
                folder.sweep(self.keep_days)

    def put_out(self, product: Swapflow, programs: Collection[str]) -> tuple[str, ...]:
        """Put out the results of lists that became final since; name their programs."""
        with alone(self.lock) as mine:
            if not mine:
                return ()
            done = []
            for name, folder in self.folders(programs).items():
                if results_due(product, name):
                    put_out_results(product, name, folder, by=BY)
                    done.append(name)
        return tuple(done)
