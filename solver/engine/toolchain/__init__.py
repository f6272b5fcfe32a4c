"""How is the engine compiled? By pip, in a checkout, or for all platforms at once.

sources.py      which sources there are, their checksum, and the name of the library made of them
compiler.py     a C compiler is found and run
build_hook.py   pip compiles the library for a wheel or a checkout
wheels.py       one machine compiles the wheels of all platforms

The modules also run before minebot is installed (in a build environment of pip), as a package of
their own. So they import nothing else of this project, and each other by relative imports. Wheels
do not hold them.
"""
