"""`ctxd doctor`: whatever may keep ctxd from doing its work, and what to do about it.

It is read-only and done within three seconds; each part looks at one matter and says it in checks.
"""

from ctxd.doctor.notice import TEST
from ctxd.doctor.values import Check, DoctorReport

__all__ = ["TEST", "Check", "DoctorReport"]
