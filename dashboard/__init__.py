"""Search quality, measured and compared: a collection opened, ranked, judged and measured.

import dashboard

driving = dashboard.open("driving")
print(driving.verdict("v0.2", "v0.3"))
"""

TYPE_CHECKING = False  # typing takes longer to import than this package

if TYPE_CHECKING:
    from dashboard.api import OpenCollection, Verdict, open

__all__ = ["OpenCollection", "Verdict", "open"]


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> object:
    """Import the library when it is used; importing the package alone takes no time."""
    if name not in __all__:
        raise AttributeError(f"module 'dashboard' has no attribute {name!r}")
    from dashboard import api

    return getattr(api, name)
