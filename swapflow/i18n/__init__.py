"""Texts in the reader's own language: messages, dates, numbers.

The English sentences are in the code and are the ids of the messages; `swapflow/locale` holds one
file for each further language. Nothing here knows of pages or mails.
"""
