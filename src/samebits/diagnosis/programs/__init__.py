"""Diagnosis of other programs: built and run here in two ways, from the frame to the cause."""
