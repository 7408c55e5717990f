"""One application looked at again after the list was fixed."""
