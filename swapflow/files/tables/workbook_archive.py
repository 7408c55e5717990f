"""What an XLSX file is as an archive: looked at before a reader unpacks it."""

import re
import zipfile
from io import BytesIO

from swapflow.errors import InvalidInputError
from swapflow.untrusted.limits import (
    MOST_PACKED,
    MOST_SHEETS,
    MOST_UNZIPPED_WORKBOOK,
    MOST_ZIP_FILES,
    SMALL_WORKBOOK,
)
from swapflow.untrusted.zip_directory import listed_files


_SHEET = re.compile(rb"<(?:\w+:)?sheet[\s/>]")


def check_directory(data: bytes) -> None:
    """Refuse an archive of more files than are looked at.

    Raises:
        InvalidInputError: If it is one.
    """
    files = listed_files(data)
    if files > MOST_ZIP_FILES:
        raise InvalidInputError("archive_too_many_files", files=files, most=MOST_ZIP_FILES)


def check_archive(data: bytes, name: str) -> None:
    """Refuse a workbook that would unpack too large, or has more sheets than are opened.

    Args:
        data: The file.
        name: What messages call it.

    Raises:
        InvalidInputError: If it is one.
        zipfile.BadZipFile: If it is damaged.
        KeyError: If it holds no workbook.
    """
    with zipfile.ZipFile(BytesIO(data)) as archive:
        unzipped = sum(info.file_size for info in archive.infolist())
        packed = unzipped > SMALL_WORKBOOK and unzipped > MOST_PACKED * len(data)
        if unzipped > MOST_UNZIPPED_WORKBOOK or packed:
            raise InvalidInputError(
                "workbook_too_large",
                name=name,
                size=unzipped // 2**20,
                most=MOST_UNZIPPED_WORKBOOK // 2**20,
            )
        # What the workbook lists is opened one by one, and may be one file many times.
        sheets = len(_SHEET.findall(archive.read("xl/workbook.xml")))
    if sheets > MOST_SHEETS:
        raise InvalidInputError(
            "workbook_too_many_sheets", name=name, sheets=sheets, most=MOST_SHEETS
        )
