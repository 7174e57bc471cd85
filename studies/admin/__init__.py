from studies.admin import job, participant, payment, response, round, story, study

__all__ = ["job", "participant", "payment", "response", "round", "story", "study"]
