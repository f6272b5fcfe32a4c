"""The themes that come with the package: one TOML file a program.

old_keys.py  the keys that theme files and saved calibrations had before
*.toml       how the tiles of a program look, and how it behaves
"""
