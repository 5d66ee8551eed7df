"""Small programs, grouped by topic: adding a function to a topic adds its tests.

`table.py` collects them. Each is differentiated in every mode and order by
`tests/test_programs.py`; `test_table.py` checks the programs themselves.
"""
