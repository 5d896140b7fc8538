"""The edge of the house: command line, local server and builds; the only room that prints."""
