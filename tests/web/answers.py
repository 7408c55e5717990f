"""What an answer tells, whatever its form."""

import io
import zipfile


def spelled(content: bytes) -> str:
    """Return the text of an answer; of a workbook, that of all its parts."""
    if not content.startswith(b"PK"):
        return content.decode("utf-8", "replace")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return "".join(
            archive.read(name).decode("utf-8", "replace") for name in archive.namelist()
        )
