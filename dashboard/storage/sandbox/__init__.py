"""Processes with limits on memory and time, for what a stranger's file may do to a library."""
