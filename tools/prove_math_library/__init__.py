"""The built math library against samebits' own functions, on every processor that runs here."""
