from modeling.admin.generation import GenerationAdmin
from modeling.admin.run import RunAdmin

__all__ = ["GenerationAdmin", "RunAdmin"]
