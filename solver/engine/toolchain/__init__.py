"""How is the engine compiled? By pip, in a checkout, or for all platforms at once.

sources.py      the sources, their checksum, and the name of the library made of them
compiler.py     finds and runs a C compiler
build_hook.py   lets pip compile the library for a wheel or a checkout
wheels.py       builds the wheels of all platforms on one machine

The modules also run before minebot is installed (in a build environment of pip), as a package of
their own. So they import nothing else of this project, and each other by relative imports. They
are not part of wheels.
"""
