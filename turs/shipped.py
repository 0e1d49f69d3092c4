"""Where the files lie that come with the package but are no part of it: the app's pages and the sample tables.

In a clone they are beside the package; a wheel puts them into the data folder of the environment.
"""

from __future__ import annotations

import site
import sysconfig
from pathlib import Path

from turs.errors import SettingsError


def shipped(name: str) -> Path:
    """Return the path of a file or folder that comes with the package, such as `app.py` or `sample_data`.

    Raises
    ------
    SettingsError
        Where it is not there.
    """
    bases = [Path(__file__).parents[1]]
    bases += [Path(data) / "share" / "turs" for data in (sysconfig.get_path("data"), site.getuserbase())]
    for base in bases:
        if (base / name).exists():
            return base / name
    raise SettingsError(f"'{name}' did not come with this installation of TURS: install it again.")
