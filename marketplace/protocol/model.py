"""botocore's description of the MTurk service: the wire format is read from it, not retyped."""

from botocore.loaders import Loader
from botocore.model import OperationModel, ServiceModel

SERVICE = ServiceModel(Loader().load_service_model("mturk", "service-2"), "mturk")
TARGET_PREFIX: str = SERVICE.metadata["targetPrefix"]
SIGNING_NAME: str = SERVICE.metadata["endpointPrefix"]
OPERATION_NAMES = frozenset(SERVICE.operation_names)


def operation_model(name: str) -> OperationModel:
    return SERVICE.operation_model(name)
