"""Agents: what to do next on a board. One file an agent, one registry (this package map).

base.py    Move, Decision, Rule-independent Agent protocol

Every agent is a pure function of the board, its options and its seed.
"""
