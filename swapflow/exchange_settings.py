"""What comes in from other systems: the settings of files, returned mails and groups."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings


class ExchangeSettings(BaseSettings):
    """How files come in and go out, and groups come in; `Settings` is what a deployment reads.

    Attributes:
        drop_folder: Folder with a sub-folder for each program, into which other systems write,
            by SFTP or a share; without it nothing is looked for.
        drop_quiet: Seconds for which a file there must have stayed as it is before it is read, if
            no `.done` beside it says that it is whole; 0 reads only files with a `.done`.
        drop_mb: Largest file of documents that is taken at once, and the most that it may hold
            unpacked, in MB.
        drop_keep_days: Days for which a refused list waits in the folder for its correction.
        oidc_groups: The claim in which the identity provider states a person's groups.
        oidc_scopes: Scopes to ask it for beside openid, email and profile, by spaces; some
            providers state groups only for one.
        bounce_address: Where other servers send a mail back to. Before its @ goes `+` and the
            mail's code, which its server must take as if it were not there; else the sender.
        bounce_imap_host: Server of the mailbox in which those arrive; without it none is read.
        bounce_imap_port: Its port.
        bounce_imap_security: How the connection is encrypted: `tls`, `starttls` or `none`.
        bounce_imap_user: Name to sign in with.
        bounce_imap_password: Password to sign in with.
        bounce_imap_folder: Folder that is read, of a mailbox of its own: mails are marked read.
        bounce_imap_seconds: Seconds between two looks.
    """

    drop_folder: Path | None = None
    drop_quiet: Annotated[float, Field(ge=0, le=86_400)] = 120.0
    drop_mb: int = Field(default=2000, ge=1, le=20_000)
    drop_keep_days: int = Field(default=14, ge=1, le=365)
    oidc_groups: str = Field(default="groups", min_length=1, max_length=200)
    oidc_scopes: str = Field(default="", max_length=500)

    bounce_address: str | None = None
    bounce_imap_host: str | None = None
    bounce_imap_port: int = Field(default=993, ge=1, le=65_535)
    bounce_imap_security: str = Field(default="tls", pattern="^(tls|starttls|none)$")
    bounce_imap_user: str = ""
    bounce_imap_password: SecretStr | None = None
    bounce_imap_folder: str = Field(default="INBOX", pattern=r"^[ !#-\[\]-~]{1,100}$")
    bounce_imap_seconds: Annotated[float, Field(ge=10, le=86_400)] = 120.0

    @field_validator("bounce_address")
    @classmethod
    def _address_alone(cls, text: str | None) -> str | None:
        if text is not None and not re.fullmatch(
            r"[A-Za-z0-9._-]{1,30}@[A-Za-z0-9.-]{1,200}", text
        ):
            raise ValueError("write an address alone, such as bounces@example.edu")
        return text

    @field_validator("drop_folder")
    @classmethod
    def _absolute_folder(cls, path: Path | None) -> Path | None:
        return None if path is None else path.expanduser().absolute()
