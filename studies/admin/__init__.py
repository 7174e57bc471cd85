from studies.admin import job, participant, payment, response, round, study

__all__ = ["job", "participant", "payment", "response", "round", "study"]
