"""Settings every test shares.

Property tests are deterministic on CI, so that a red run can be repeated, and explore
new examples elsewhere. Deadlines are off: the first call of a rule is slower than the
next, which says nothing about correctness.
"""

import os

from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "explore")
