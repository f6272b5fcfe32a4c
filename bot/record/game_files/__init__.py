"""What did a person play in another program? Its file is read as a session without frames.

load.py   the file as a session
rawvf.py  reads files in the text format RawVF
child.py  reads the file with `ms_toollib`, in a process of its own

Only ``child.py`` imports ``ms_toollib``, an extra, and nothing of minebot.
"""
