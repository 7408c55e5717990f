"""What keeps processes from starting; who runs them reads English."""

TEXTS = {
    "crash_point_unknown": (
        "{variable}={specification}: write POINT or POINT:N with one of {points}"
    ),
    "redis_program_cannot_run": "SWAPFLOW_REDIS_BIN {program} is not a program that can run",
    "redis_program_missing": (
        "no Redis or Valkey server for this machine: install one (valkey-server or "
        "redis-server on the PATH, or SWAPFLOW_REDIS_BIN), or name a running one in "
        "SWAPFLOW_REDIS_URL"
    ),
    "socket_folder_not_made": "folder {folder} cannot be made: {problem}",
    "socket_folder_of_another": "folder {folder} belongs to another user; remove it",
    "data_folder_unwritable": (
        "data folder {folder} cannot be written ({problem}); check its owner and SWAPFLOW_DATA_DIR"
    ),
    "data_folder_in_use": (
        "swapflow already runs on data folder {folder} (process {process}); stop that one, "
        "or set SWAPFLOW_DATA_DIR to another folder"
    ),
    "metrics_port_taken": (
        "SWAPFLOW_METRICS_PORT {port} cannot be had ({problem}); choose another, or stop "
        "the process that has it"
    ),
    "process_does_not_start": "{name} does not start; it said{output}{hint}",
    "web_host_without_tls": (
        "SWAPFLOW_WEB_HOST: {host} lets other machines in, without TLS: set "
        "SWAPFLOW_PUBLIC_URL to the https://… under which they come through a proxy, or to "
        "http://127.0.0.1:8000 if a proxy or container keeps them out"
    ),
    "public_url_not_encrypted": (
        "SWAPFLOW_PUBLIC_URL: {address} is not encrypted, and {host} is another machine "
        "for those who sign in: put a proxy with TLS before it and write https://… "
        "(deploy/Caddyfile), or set SWAPFLOW_INSECURE=1 if no other machine is on this "
        "network"
    ),
    "database_password_common": (
        "SWAPFLOW_DATABASE_URL: the database's password is one that attackers try first; "
        "give the database another, e.g. from `openssl rand -hex 24`, and write it here"
    ),
    "sso_extra_missing": (
        "SWAPFLOW_OIDC_ISSUER: signing in through an identity provider needs two libraries "
        "that are not installed: pip install 'swapflow[sso]', or unset the variable"
    ),
    "oidc_setting_missing": (
        "SWAPFLOW_OIDC_{setting}: it is not set; register swapflow with the provider, with "
        "{address}/sign-in/provider/return as the address to return to, and write here what "
        "it hands out"
    ),
    "oidc_issuer_not_encrypted": (
        "SWAPFLOW_OIDC_ISSUER: {issuer} is not encrypted: those who listen on the way "
        "could sign in as any person; write https://…"
    ),
    "oidc_secret_common": (
        "SWAPFLOW_OIDC_CLIENT_SECRET: it is one that attackers try first; let the "
        "provider make another, and write it here"
    ),
    "secret_key_short": (
        "SWAPFLOW_SECRET_KEY: it is not set, or shorter than {shortest} characters: write "
        "what `openssl rand -hex 24` makes, the same for every web process"
    ),
    "traces_protocol": (
        "{variable}={value}: traces are sent by http/protobuf only; leave it out and name "
        "the collector's HTTP port, 4318 as a rule"
    ),
    "processes_do_not_start": "the processes do not start; they said\n  {lines:\n  }",
    "settings_unusable": "settings cannot be used\n{problems:\n}",
}
