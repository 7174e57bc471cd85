from annotation.admin import release, review, review_plan, standing

__all__ = ["release", "review", "review_plan", "standing"]
