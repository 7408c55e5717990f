"""Messages that leave the office: mails and webhook calls."""
