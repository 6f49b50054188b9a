"""The custom components that pages share, each a folder of plain JavaScript."""
