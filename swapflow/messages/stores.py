"""What databases, Redis, queues and mail servers refuse or fail to answer."""

TEXTS = {
    "migrations_waiting": (
        "the database lacks {count} migrations: run `swapflow db upgrade` once (`swapflow "
        "up` does it by itself)"
    ),
    "no_monitoring_record": "this deployment keeps no record of groups",
    "backup_file_exists": "{path} exists already; name another file for the backup",
    "nothing_to_back_up": "there is no database at {file}; nothing to back up",
    "not_a_postgresql_dump": "{path} is no dump of PostgreSQL; name another file",
    "not_a_sqlite_copy": "{path} is no copy of a SQLite database; name another file",
    "backup_damaged": "{path} is damaged ({problem}); name another backup",
    "backup_of_later_version": (
        "{path} is at migration {migrations}, which this version does not know; restore "
        "it with the version that wrote it"
    ),
    "database_in_use": (
        "still at work on the database: {who}. Stop everything (swapflow up, "
        "coordinators, workers, web) and restore then; a coordinator's lease ends by "
        "itself within SWAPFLOW_LEASE_SECONDS"
    ),
    "database_tool_missing": (
        "{tool} is not installed: apt-get install postgresql-client, of the server's version "
        "or newer, or run it in the database's own container"
    ),
    "database_tool_failed": "{tool} failed: {problem}",
    "backup_under_way": (
        "nothing was begun: a backup or a rehearsal is under way; try again when it has ended"
    ),
    "no_place_for_backups": (
        "no backup was made: this record is in memory; run swapflow on a database to back it up"
    ),
    "no_backup_yet": "nothing was rehearsed: there is no backup yet; make one first",
    "backup_not_found": (
        "nothing was rehearsed: there is no backup {file!r}; `swapflow db backups` lists those "
        "there are"
    ),
    "rehearsal_database_refused": (
        "nothing was rehearsed: PostgreSQL made no database beside this one ({problem}); let its "
        "administrator run ALTER ROLE with CREATEDB once, then try again"
    ),
    "run_broke": "an unexpected error ended it; the log of the process that did it says more",
    "backup_unreadable": "{path} cannot be read ({problem})",
    "backup_folder_unwritable": (
        "{path} cannot be written ({problem}); check its folder's owner and that the disk has room"
    ),
    "backup_unwritable": "{path} cannot be written ({problem})",
    "application_number_not_in_cycle": "program {cycle} has no applicant {number}",
    "database_url_unreadable": (
        "the database URL cannot be read; write sqlite:///FILE or "
        "postgresql://USER:PASSWORD@HOST/NAME"
    ),
    "database_unknown": "{backend} is not a database that can be used; use SQLite or PostgreSQL",
    "event_damaged": (
        "event {event} of program {cycle} cannot be read ({problem}); this program is "
        "stopped until the event is as it was recorded, all others go on. Restore it from "
        "a backup (deploy/RUNBOOK.md, A damaged row), then run `swapflow cycle verify "
        "{cycle}`"
    ),
    "row_damaged": (
        "a row of table {table} of program {cycle} cannot be read ({problem}); this "
        "program is stopped until the row is as it was stored, all others go on. Restore "
        "it from a backup (deploy/RUNBOOK.md, A damaged row), then run `swapflow cycle "
        "verify {cycle}`"
    ),
    "program_set_aside": (
        "program {cycle} cannot go on after event {event} ({problem}); it is stopped, all "
        "others go on. `swapflow cycle verify {cycle}` names what differs from the "
        "record; once it agrees, the program goes on"
    ),
    "record_unreadable": (
        "the record cannot be replayed to its end ({problem}): a row is not what was stored"
    ),
    "value_damaged": (
        "a value in the database cannot be read ({problem}); `swapflow cycle verify` names the "
        "program that it belongs to"
    ),
    "database_without_tables": (
        "the database {place} has not the tables of this version; run `swapflow db upgrade`"
    ),
    "database_being_set_up": (
        "the database is being set up anew; try again in some minutes, and tell an administrator"
    ),
    "writes_wait": "another process has the database locked; enough writes wait for it already",
    "database_busy": (
        "the database is busy with something long at the moment; nothing of this was stored. Try "
        "again in some seconds"
    ),
    "database_away": (
        "the database does not answer at the moment; what was stored is safe. Try again "
        "in a minute, and tell an administrator"
    ),
    "application_number_not_found": "program {cycle!r} has no applicant {number}",
    "nobody_in_cycle": "program {cycle!r} has no one called {name!r}",
    "number_beyond_all": "nothing here has a number as large as that",
    "cycle_not_found": "there is no program {cycle!r}",
    "cycle_under_other_lease": "program {cycle} is decided under lease {lease}, not {given}",
    "rules_version_not_found": "program {cycle} has no rules version {version}",
    "rules_version_taken": (
        "program {cycle} has rules version {version} already; a change needs the next number"
    ),
    "rubric_version_taken": (
        "the score form of {kind}, version {version}, is stored with other criteria; give "
        "the change a version of its own"
    ),
    "account_exists": "there is an account for {email} already; change that one",
    "last_administrator": "{email} is the last administrator; make another person one first",
    "mail_not_in_program": "there is no mail {mail!r} in this program",
    "reviewer_number_not_in_roster": "the roster of {cycle} has no reviewer {number}",
    "external_ids_twice": (
        "program {cycle} would have {what} twice: {names}; external ids are unique in a program"
    ),
    "people_not_stored": "{what} of program {cycle} cannot be stored",
    "round_exists": "there is a round {round!r} already; choose another id",
    "round_not_found": "there is no round {round!r}",
    "cycle_exists": "there is a program {cycle!r} already; choose another id",
    "postgresql_backup_elsewhere": "a PostgreSQL ledger is backed up by pg_dump",
    "cycle_not_found_list": "there is no program {cycle!r}; `swapflow cycle list` shows them all",
    "memory_ledger_not_upgraded": "a ledger in memory is created with its tables; none to upgrade",
    "reviewer_number_not_in_cycle": "program {cycle!r} has no reviewer {number}",
    "call_not_answered": "{host} did not answer ({problem})",
    "call_too_slow": "{host} did not answer within {seconds} seconds",
    "call_answer_too_large": "{host} answered with more than {most} bytes",
    "call_host_unknown": "{host} is not known",
    "call_host_private": "{host} leads into a private network, where calls may not go",
    "call_refused": "{host} answered {status}",
    "mail_file_unwritable": "{folder}: a mail could not be written ({problem})",
    "dns_away": "no resolver answered about {name}; check SWAPFLOW_DNS_SERVER",
    "dns_server_malformed": (
        "SWAPFLOW_DNS_SERVER: {text} is no address of a resolver; write one such as 192.0.2.53"
    ),
    "dns_server_missing": "this machine names no resolver; set SWAPFLOW_DNS_SERVER",
    "mail_server_away": "the mail server {host}:{port} did not take a mail; check SWAPFLOW_SMTP_*",
    "mail_address_malformed": "{text!r} is no mail address",
    "broker_away": (
        "the message broker at {broker} did not answer ({problem}); check that Redis runs, "
        "that SWAPFLOW_REDIS_URL names it, and that its memory is not full"
    ),
    "requests_not_sent": (
        "reviews cannot be sent out at the moment; nothing is lost, and they go out later"
    ),
    "live_application_out_of_range": "applicant {application} is not a number from 0 to {most}",
    "live_application_twice": "applicant {application} comes twice in one change",
    "live_number_too_large": "{number} does not fit into the live state's 64 bits",
    "live_sum_too_large": "program {cycle}: a sum would leave 64 bits",
    "redis_too_old": (
        "Redis at {server} is version {version}; version 6.2 or later is needed, or any Valkey"
    ),
    "redis_drops_queues": (
        "Redis at {server} has maxmemory-policy {policy} and would drop queues when its "
        "memory is full; set maxmemory-policy noeviction, and do not share the server with a "
        "cache"
    ),
    "redis_away": (
        "Redis at {server} did not answer ({problem}); check that it runs, that "
        "SWAPFLOW_REDIS_URL names it, and that its memory and disk are not full"
    ),
    "live_state_away": (
        "the live state does not answer at the moment; nothing is lost. Try again in a "
        "minute, and tell an administrator"
    ),
    "redis_url_unreadable": (
        "SWAPFLOW_REDIS_URL {url!r} cannot be read ({problem}); write redis://host:6379/0, "
        "rediss://… or unix:///path/to/socket"
    ),
    "database_did_not_answer": "the database {place} did not answer ({problem}); {cure}",
    "database_folder_cure": "check that the folder exists, is writable and has room",
    "database_server_cure": (
        "check that PostgreSQL runs and that host, name and password are right"
    ),
    "mail_kept_back": (
        "an earlier mail to this address came back: the address does not exist. Correct the "
        "address, and this mail is sent"
    ),
    "came_back_address": "the address does not exist",
    "came_back_full": "the mailbox is full",
    "came_back_refused": "the other server refused the mail",
    "came_back_unreached": "the other server could not be reached for days",
    "came_back_other": "the other server could not deliver it",
    "came_back_address_cure": (
        "Correct the address, and the mail is sent again. Until then, no further mail goes to "
        "this address"
    ),
    "came_back_full_cure": "Reach the person another way, or send the mail again in a few days",
    "came_back_refused_cure": (
        "Ask the people who run your mail server what this answer means; “Does mail arrive?” "
        "under Set up checks your domain"
    ),
    "came_back_unreached_cure": (
        "Check the part of the address after the @, or send the mail again"
    ),
    "came_back_other_cure": "Read the answer, then correct the address or send the mail again",
    "bounce_mailbox_away": (
        "the mailbox at {host}:{port} for mails that come back does not answer ({problem}); check "
        "the settings that begin with SWAPFLOW_BOUNCE_IMAP"
    ),
    "bounce_mailbox_later": (
        "the mailbox at {host} for mails that come back cannot be read now: {answer}; a "
        "coordinator tries again every few minutes, and so can you"
    ),
    "bounce_mailbox_refuses": (
        "the mailbox at {host} for mails that come back refuses: {answer}; check user, password "
        "and folder in the settings that begin with SWAPFLOW_BOUNCE_IMAP"
    ),
    "bounce_mailbox_missing": (
        "no mailbox for mails that come back is set: set SWAPFLOW_BOUNCE_IMAP_HOST, its user and "
        "its password"
    ),
    "settle_what": "name the addresses to which mail may go again, or add --strays",
    "bounce_file_unreadable": (
        "{file} could not be read: {problem}; name a mail, an mbox, a Maildir, or - for standard "
        "input"
    ),
    "bounce_file_large": (
        "{file} has {size} bytes, and at most {most} are read at once; split the file, or move "
        "old mails out of it"
    ),
    "no_mail_came_back": (
        "nothing was changed: no mail that came back waits here; it was already dealt with"
    ),
    "mail_server_says": "{host} says {answer}",
}
