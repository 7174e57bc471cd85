from annotation.models.decision import Decision, Standing
from annotation.models.plan import ReviewPlan
from annotation.models.release import Release, ReleaseRow, Split, StorySplit
from annotation.models.sample import Draw, Pick, Pool
from annotation.models.verdict import Judgement, ReviewSource, Turn, Verdict

__all__ = [
    "Decision",
    "Draw",
    "Judgement",
    "Pick",
    "Pool",
    "Release",
    "ReleaseRow",
    "ReviewPlan",
    "ReviewSource",
    "Split",
    "Standing",
    "StorySplit",
    "Turn",
    "Verdict",
]
