"""The live state of open cycles: integers per arm, in Redis or in memory."""
