"""What went wrong with a service, as one sentence for the person at the terminal."""

import errno
from pathlib import Path


class ServiceError(Exception):
    """A service could not be started or joined; the message says why and what to do."""


def explain_os_error(error: OSError, folder: Path) -> ServiceError:
    """Say in a sentence what an operating-system error means for the data folder."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return no_space(folder)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ServiceError(
            f"Fabula cannot write to {error.filename or folder}. Run it as the account that owns "
            "this folder, or set FABULA_VAR to a folder of your own."
        )
    reason = (error.strerror or str(error)).lower()
    return ServiceError(f"The data folder {folder} cannot be used: {reason}.")


def no_space(folder: Path) -> ServiceError:
    return ServiceError(
        f"There is no space left on the disk that holds {folder}. Free at least 200 MB there, or "
        "set FABULA_VAR to a folder on another disk."
    )
