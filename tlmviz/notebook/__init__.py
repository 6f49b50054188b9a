"""A trace outside of the app: as a widget of a notebook, and as one file of HTML that needs no network."""
