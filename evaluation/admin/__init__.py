from evaluation.admin import instrument, rating, rating_round, result_file

__all__ = ["instrument", "rating", "rating_round", "result_file"]
