"""What an output of a run scores: what is computed here, and what its runner has computed."""

from modeling.instances import Instance
from modeling.metrics.texts import BERTSCORE
from modeling.run_folder import Output
from modeling.tasks.task import ModelTask, Scored


def score_output(task: ModelTask, instance: Instance, output: Output) -> Scored:
    """BERTScore, which needs PyTorch, stands by part in the output's details, if anywhere."""
    scored = task.score(instance.fields, output.text, instance.target)
    return scored.having(BERTSCORE, output.details.get(BERTSCORE, {}))
