"""Acts that rest on a page, against others who change their ground in the same moment."""
