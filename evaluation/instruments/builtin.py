"""The instruments that come with the house."""

from evaluation.instruments import error_analysis, pasta, timetravel
from evaluation.instruments.declaration import Declaration

BUILT_IN: tuple[Declaration, ...] = (
    pasta.STATE_INFERENCE,
    pasta.STORY_REVISION,
    pasta.STORY_REVISION_FIVE,
    pasta.STATE_CHANGE,
    error_analysis.STORY_REVISION_ERRORS,
    error_analysis.STATE_CHANGE_ERRORS,
    error_analysis.STATE_TYPES,
    timetravel.LIKERT,
    timetravel.PAIRWISE,
)
