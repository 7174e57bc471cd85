"""Inputs of models and what they should answer: pure functions over tuples."""

from modeling.instances.instance import Instance
from modeling.instances.state_change import state_change
from modeling.instances.state_inference import state_inference
from modeling.instances.story_revision import story_revision
from modeling.instances.tuples import Tuple

__all__ = ["Instance", "Tuple", "state_change", "state_inference", "story_revision"]
