"""What a refused call said."""

from typing import Any, cast

from botocore.exceptions import ClientError


def turk_code(error: ClientError) -> str:
    return str(cast(dict[str, Any], error.response)["TurkErrorCode"])


def error_code(error: ClientError) -> str:
    return error.response["Error"]["Code"]


def message(error: ClientError) -> str:
    return error.response["Error"]["Message"]


def http_status(error: ClientError) -> int:
    return error.response["ResponseMetadata"]["HTTPStatusCode"]
