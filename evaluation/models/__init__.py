from evaluation.models.instrument import Instrument
from evaluation.models.item import Item
from evaluation.models.rating import Rating
from evaluation.models.rating_round import RatingRound
from evaluation.models.result_file import ResultFile
from evaluation.models.text_score import TextScore

__all__ = ["Instrument", "Item", "Rating", "RatingRound", "ResultFile", "TextScore"]
