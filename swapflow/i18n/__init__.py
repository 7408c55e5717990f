"""What people read in their own language: messages, dates, numbers.

English sentences stand in the code and are the ids of the messages; `swapflow/locale` holds one
file for each further language. Nothing here knows of pages or mails.
"""
