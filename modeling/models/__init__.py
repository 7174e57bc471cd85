from modeling.models.generation import Generation
from modeling.models.point import Point
from modeling.models.run import OPEN_STATES, Run, RunState

__all__ = ["OPEN_STATES", "Generation", "Point", "Run", "RunState"]
