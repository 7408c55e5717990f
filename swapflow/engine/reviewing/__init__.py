"""The reviewer's side: task list, review page, submit, decline, files."""
