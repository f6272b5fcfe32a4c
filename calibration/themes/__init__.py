"""The themes that come with the package: one TOML file a program, its tiles and its ways."""
