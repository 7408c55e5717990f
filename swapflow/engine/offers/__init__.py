"""After the list: places are offered, answered, passed on; applicants are told."""
