"""One module per evaluation: its function in plain Python and NumPy, and `FUNCTIONS`, what is served."""
