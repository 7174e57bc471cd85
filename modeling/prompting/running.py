"""A run of few-shot prompting: the grid on validation rows, then its best cell on the test rows."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from modeling.instances import Instance
from modeling.methods import EndpointPrompting, LocalPrompting, Prompting, Selection
from modeling.prompting.answers import Answerer, Answers, Reply, Request
from modeling.prompting.endpoint import Endpoint, address_of
from modeling.prompting.examples import Examples, Vectors, draw_pool
from modeling.prompting.layouts import LAYOUTS
from modeling.reporting import Reporter, RunFailure
from modeling.run_folder import Output, Reason, RunFolder
from modeling.tasks.registry import TASKS

GRID, GENERATING = "grid", "generating"


@dataclass(frozen=True)
class Cell:
    selection: Selection
    examples: int

    def __str__(self) -> str:
        return f"{self.selection}-{self.examples}"


def prompt(folder: RunFolder, configuration: Prompting) -> Mapping[str, Any]:
    """Raises RunFailure, RunCancelled and TakenOver."""
    job = Job(folder, configuration)
    cells = [Cell(*cell) for cell in configuration.cells]
    grid = job.grid(cells) if len(cells) > 1 else []
    best = max(grid, key=lambda row: row["bertscore"])["cell"] if grid else str(cells[0])
    [cell] = [one for one in cells if str(one) == best]
    job.generate(cell)
    return {"cell": best, "grid": grid, **job.answers.figures()}


class Job:
    def __init__(self, folder: RunFolder, configuration: Prompting) -> None:
        self.folder, self.configuration = folder, configuration
        config = folder.config()
        self.seed: int = config["seed"]
        self.layout, self.task = LAYOUTS[config["task"]], config["task"]
        self.reporter = Reporter(folder)
        self.answers = Answers(folder.path)
        train = list(folder.instances("train"))
        pool = draw_pool(train, configuration, self.seed)
        self.examples = Examples(pool, train, configuration.curated, self.seed, self._encode)
        self.answerer = self._answerer()

    def grid(self, cells: Sequence[Cell]) -> list[dict[str, Any]]:
        """How near each cell comes to what people wrote, on the same validation rows."""
        # Only now: it loads PyTorch.
        from modeling.training.bertscore import bertscores

        rows = list(self.folder.instances("validation"))
        if not rows:
            raise RunFailure(Reason.NO_INSTANCES, "validation")
        size = min(self.configuration.sample_size, len(rows))
        sample = random.Random(f"{self.seed}:sample").sample(rows, size)
        found = []
        for number, cell in enumerate(cells):
            outputs = self._ask(cell, sample, GRID, number * size, len(cells) * size)
            scores = bertscores(
                self.folder,
                self.configuration.bertscore_model,
                self.configuration.bertscore_layer,
                TASKS[self.task],
                [*zip(sample, outputs, strict=True)],
            )
            mean = fmean(score for parts in scores for score in parts.values())
            found.append({"cell": str(cell), "bertscore": mean, "rows": size})
        return found

    def generate(self, cell: Cell) -> None:
        rows = list(self.folder.instances("test"))
        outputs = self._ask(cell, rows, GENERATING, 0, len(rows))
        self.folder.write_generations(
            Output(one.key, output, self.configuration.model, {"cell": str(cell)})
            for one, output in zip(rows, outputs, strict=True)
        )
        if self.configuration.bertscore_model:
            # Only now: it loads PyTorch.
            from modeling.training.bertscore import score_generations

            scorer = self.configuration.bertscore_model, self.configuration.bertscore_layer
            score_generations(self.folder, *scorer)

    def _ask(
        self, cell: Cell, rows: Sequence[Instance], phase: str, done: int, steps: int
    ) -> list[str]:
        """Only what has no answer yet is asked."""
        if cell.selection == "nearest":
            self.examples.learn_vectors([one.text for one in (*rows, *self.examples.pool)])
        requests = [self._request(cell, one) for one in rows]
        missing = self.answers.missing(requests)
        told = done + len(requests) - len(missing)

        def keep(request: Request, reply: Reply) -> None:
            nonlocal told
            self.answers.keep(request, reply)
            told += 1
            self.reporter.step(told, steps, phase)

        self.reporter.look_up()
        self.answerer.answer(missing, keep)
        return [
            self.layout.output(one, self.answers[request].text)
            for one, request in zip(rows, requests, strict=True)
        ]

    def _request(self, cell: Cell, asked: Instance) -> Request:
        examples = self.examples.of(cell.selection, cell.examples, asked)
        text = self.layout.prompt(examples, asked)
        return Request(asked.key, str(cell), self.answerer.body(text, self.layout.end))

    def _answerer(self) -> Answerer:
        if isinstance(self.configuration, EndpointPrompting):
            return Endpoint(self.configuration, address_of(self.configuration.endpoint))
        assert isinstance(self.configuration, LocalPrompting)
        from modeling.training.local import LocalModel

        return LocalModel(self.configuration, self.folder)

    def _encode(self, texts: Sequence[str]) -> Vectors:
        from modeling.training.encoder import cls_vectors

        return cls_vectors(self.folder, self.configuration.encoder, texts)
