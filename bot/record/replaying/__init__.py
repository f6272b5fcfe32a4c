"""What comes out differently today? A session is run again on its frames.

replay.py       runs it and compares
differences.py  what differs, in sentences
junit.py        and as a report of tests
"""
