"""How does an agent from elsewhere play? Found, run in a process of its own, and checked.

find.py     agents in files (``FILE.py:Class``) and in installed packages
channel.py  the process as the other side sees it: one line there, one line back, in time
client.py   asks the process of a plug-in; every trouble becomes one typed error
process.py  that process: it loads the plug-in and decides within a time limit
check.py    what a plug-in's decision must be

Imports only ``solver.agents.base``, ``solver.agents.construct`` and ``solver/*.py``, so that a
plug-in's process starts fast.
"""
