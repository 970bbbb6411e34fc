"""What a compaction leaves of what was agreed: judged, recorded, and put back."""
