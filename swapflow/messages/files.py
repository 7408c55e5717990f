"""What is wrong with files that are read or written."""

TEXTS = {
    "archive_unreadable": (
        "the archive cannot be read ({problem}); pack the files anew as an ordinary ZIP"
    ),
    "archive_too_many_files": (
        "the archive contains {files} files, and {most} are the most at once"
    ),
    "archive_too_large": "the archive contains more than {most} MB; split it",
    "index_columns_missing": (
        "{name}: an index names the applicant and the file, or the pages, in each row; missing is "
        "{missing!r}, and its columns are {columns!r}"
    ),
    "pdf_locked": "{name} is locked by a password; save it without one and send it again",
    "pdf_too_long": "the PDF has {pages} pages, and {most} are the most at once; split it",
    "pdf_nobody_named": (
        "{name}: no bookmark begins with the id of an applicant. Give an index with applicant, "
        "first and last page"
    ),
    "pdf_unreadable": "the PDF cannot be read ({problem}); save it anew and send it again",
    "file_too_large": (
        "{name} has more than the {most} MB that are taken at once (SWAPFLOW_DROP_MB); split it"
    ),
    "drop_folder_not_set": (
        "no folder is set into which other systems write; set SWAPFLOW_DROP_FOLDER"
    ),
    "drop_folder_missing": (
        "{cycle!r} has no drop folder; make it by `swapflow exchange folder {cycle}`, or name "
        "another one by --out"
    ),
    "result_word_no_pair": (
        "{text!r} is not a name with its word; write NAME=WORD, such as selected=Admit"
    ),
    "result_word_unknown": "results have no {name!r} to name; there are {names!r}",
    "result_word_long": "a name in results has {most} characters at most, all of them printable",
    "result_words_alike": (
        "two columns, or two decisions, would have the same name; give them different names"
    ),
    "results_not_decided": (
        "there are no results of {cycle!r} yet: they are there once its list is final"
    ),
    "exchanged_file_unknown": "no file {number} was exchanged in {cycle!r}",
    "column_missing": "there is no column for the {role}",
    "column_missing_cure": (
        "Name it {role}, or say by a mapping which it is. The columns are {columns}"
    ),
    "mapping_unknown_column": (
        "{source}: the mapping takes {header!r} for {role!r}; the columns are {columns!r}, "
        "and they can be taken for {roles}"
    ),
    "not_a_date": "{text!r} is no date of the calendar",
    "date_column_missing": (
        "{source}: there is no column {header!r} to read dates from; the columns are {columns!r}"
    ),
    "date_order_unknown": "there is no order {order!r} of day and month; use dmy or mdy",
    "age_bands_unreadable": (
        "age bands {text!r}: write the ages at which they begin, rising, 12 at most, such as "
        "20, 25, 30, 40"
    ),
    "date_ambiguous": "{first}/{second}/{year} can be read two ways",
    "file_too_long": (
        "{name}: line {line}: more than {rows} rows or {cells} cells. Split the file"
    ),
    "pdf_extra_missing": (
        "a PDF needs the extra `cards`: pip install 'swapflow[cards]'; or take HTML"
    ),
    "pdf_not_made": "the PDF cannot be made ({problem}): {cure}",
    "encoding_unknown": (
        "{name}: there is no encoding {encoding!r}. Name one such as utf-8, cp1252 or utf-16"
    ),
    "bytes_not_in_encoding": (
        "{name}: line {line} contains bytes that {encoding} does not know. Save the file "
        "as UTF-8 (in Excel: CSV UTF-8), or say its encoding"
    ),
    "encodings_mixed": (
        "{name}: line {first} is UTF-8 and line {second} is not, so no encoding reads both. "
        "Export the list anew as UTF-8, or put it together from files of one encoding"
    ),
    "path_unwritable": "{path}: cannot be written ({problem}). Choose another folder",
    "header_repeated": "{count} columns have this header",
    "cell_control_character": "the cell contains a control character (U+{character:04X})",
    "json_too_large": (
        "{name}: object {number}: more than {rows} rows or {cells} cells. Split the file"
    ),
    "json_file_too_large": (
        "{file}: more than {most} kB, which no file like this has. Check that it is the one meant"
    ),
    "not_json": "{name}: this is no JSON: {problem}",
    "json_key_twice": "{name}: the key {key!r} occurs twice in one object. Keep one",
    "json_not_a_list": (
        '{name}: a list of objects is expected, such as [{{"id": "A1", "name": "…"}}, …]'
    ),
    "signing_key_unreadable": (
        "{path}: the key that signs bundles cannot be read ({problem}); set "
        "SWAPFLOW_BUNDLE_KEY to a file that can be"
    ),
    "signing_key_not_pem": (
        "{path}: this is no private key in PEM without a password; move it away and a new "
        "one is made, or put the right one there"
    ),
    "signing_key_not_ed25519": "{path}: this key is not an Ed25519 key; use one that is",
    "past_scores_unmatched": (
        "{source}: no score of these applicants is in it. Check that both files use the same ids"
    ),
    "choosing_column_missing": (
        "{source}: there is no column {header!r} to choose by; the columns are {columns!r}"
    ),
    "not_a_scale": (
        "{text!r} is no scale. Write the worst and the best score, e.g. 0..5, or 5..1 where "
        "1 is best"
    ),
    "kind_column_unknown": "there is no review {kind!r}",
    "score_kind_cure": "Name the review or interview, one of {kinds}",
    "files_too_large_together": "these files are too large together for one archive (4 GB)",
    "sheet_format_unknown": "a sheet is xlsx or csv, not {form}",
    "row_of_erased_held": (
        "line {line}: {name!r} ({person}) was erased from {program!r} on {day} (the same "
        "{same: and }) and is left out. Confirm the row if the person is to come back"
    ),
    "row_of_erased_confirmed": (
        "line {line}: {name!r} ({person}) was erased from {program!r} on {day} (the same "
        "{same: and }) and comes back, as confirmed"
    ),
    "same_id_as_erased": "id",
    "same_address_as_erased": "mail address",
    "erasures_not_compared": (
        (
            "{count} person was erased from this program before erasures were remembered, or "
            "under a key that is not in the data folder: if the list brings them back, it "
            "cannot be known"
        ),
        (
            "{count} people were erased from this program before erasures were remembered, or "
            "under a key that is not in the data folder: if the list brings them back, it "
            "cannot be known"
        ),
    ),
    "sheet_empty": "this reviewer has no open review, so there is no sheet to fill",
    "sheet_without_key_column": (
        "{source}: no column is called {column!r}, so nothing says which review a row is "
        "about. Send back the sheet as it went out"
    ),
    "table_too_large": "{name}: larger than {most} MB. Split it, or leave out columns not needed",
    "table_too_many_columns": (
        "{name}: line {line}: {columns} columns, and {most} are the most. Leave out the columns "
        "that are not needed, or check that the lines were not joined into one"
    ),
    "table_cell_too_long": (
        "{name}: line {line}, column {column}: the cell that begins with {begins!r} has {length} "
        "characters, and {most} are the most. Shorten it, or hand it in as a document"
    ),
    "table_old_excel": (
        "{name}: this is an old Excel file (.xls) or a protected one. Open it and save it as "
        ".xlsx without a password, or as CSV"
    ),
    "workbook_torn": (
        "{name}: the name is that of a workbook and the content is not; it was cut off or changed "
        "on the way. Save the list again as .xlsx, or as CSV"
    ),
    "not_a_table": "{name}: this is no table. Save the list as .xlsx or CSV",
    "not_text_in_encoding": (
        "{name}: this is no text in {encoding}. If it is a text file, say its encoding, e.g. "
        "utf-16-le; otherwise save the list as .xlsx or CSV"
    ),
    "table_is_web_page": (
        "{name}: this is a web page, not a table. Open it in a spreadsheet program and save "
        "it as .xlsx or CSV"
    ),
    "table_empty": "{name}: the file is empty. Put a header and rows into it",
    "upload_not_kept": "the file could not be kept on the server ({problem}); nothing was stored",
    "upload_digest_malformed": "a SHA-256 is 64 digits and letters from a to f",
    "uploads_under_way": "{most} files are under way already; finish or drop one of them",
    "upload_longer_than_said": "this is more than the {size} bytes that were announced",
    "upload_stands_elsewhere": (
        "{offset} bytes of the file are there; send the piece that begins at that byte"
    ),
    "upload_not_whole": "{offset} of {size} bytes are there; send the rest first",
    "upload_digest_differs": (
        "{name} is not what was announced: its SHA-256 differs. It was removed; send it anew"
    ),
    "upload_being_taken": "this file is being taken already; ask again in a moment",
    "upload_gone": "this file is not here any more; please choose it again",
    "workbook_unreadable": (
        "{name}: the workbook cannot be read ({problem}). Open it in a spreadsheet program "
        "and save it again as .xlsx, or as CSV"
    ),
    "workbook_too_large": (
        "{name}: {size} MB when unpacked, and {most} MB are the most. Save the sheet alone, as CSV"
    ),
    "workbook_too_long": (
        "{name}: row {row}: more than {rows} rows or {cells} cells. Split the file, or "
        "remove formatting from empty rows and columns"
    ),
    "workbook_too_many_sheets": (
        "{name}: {sheets} sheets, and {most} are the most. Save the sheet with the list alone"
    ),
    "workbook_too_much_merged": (
        "{name}: merged cells reach over more than {most} rows in all. Unmerge them, or save the "
        "sheet as CSV"
    ),
    "worksheet_missing": (
        "{name}: there is no visible sheet {wanted!r}; there are {sheets}. Name one of them"
    ),
    "bad_rows": (
        "{source}: {count} problem, nothing was imported\n  {rows:\n  }",
        "{source}: {count} problems, nothing was imported\n  {rows:\n  }",
    ),
    "bad_row": "{place}: {reason}. {cure}",
    "row_at_line": "line {line}",
    "row_at_line_value": "line {line}, value {value!r}",
    "row_at_line_column": "line {line}, column {column!r}",
    "row_at_line_column_value": "line {line}, column {column!r}, value {value!r}",
    "row_of_file": "the file",
    "row_of_file_value": "the file, value {value!r}",
    "row_of_file_column": "the file, column {column!r}",
    "row_of_file_column_value": "the file, column {column!r}, value {value!r}",
    "json_nested_too_deeply": (
        "line {line} is nested too deeply, more than {most} levels. Flatten it, or leave that "
        "part out"
    ),
    "fonts_missing_cure": (
        "install a font that has it (on Debian: fonts-noto-core, fonts-noto-cjk), or name a "
        "folder of fonts in SWAPFLOW_FONTS; or take the page in HTML"
    ),
    "quote_never_closed": (
        "a cell is opened by a quotation mark that is never closed (read up to line {line})"
    ),
    "quotes_do_not_fit": "the quotation marks do not fit together (up to line {line})",
    "cell_too_long": "a cell is too long ({problem})",
    "row_of_other_width": (
        "the row has {count} cell, the header has {columns}",
        "the row has {count} cells, the header has {columns}",
    ),
    "no_applicant_has_value": "{source}: no applicant has {header} = {value!r}",
    "no_applicant_has_id": "{source}: no applicant has an id",
    "scale_not_stated": (
        "{source}: nothing says on which scale the column {header!r} is: state the worst and "
        "the best possible score, e.g. --scale 1..10 (or 5..1 where 1 is best)"
    ),
    "scale_not_stated_range": (
        "{source}: nothing says on which scale the column {header!r} is: the scores run from "
        "{least:g} to {most:g}; state the worst and the best possible score, e.g. --scale "
        "1..10 (or 5..1 where 1 is best)"
    ),
    "marks_on_sheets": (
        "{source}: several sheets hold marks ({sheets}), and nothing says which count. Give the "
        "ones that do as FILE#SHEET, or save each as a file of its own"
    ),
    "kinds_are": "The reviews and interviews are {kinds}",
}
