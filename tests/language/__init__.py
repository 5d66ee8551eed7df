"""What the page of the language promises, as programs: each row of its tables has some.

`rows.py` reads the tables and collects the programs, which stand in one module per
topic; `tests/docs/test_language_table.py` runs them.
"""
