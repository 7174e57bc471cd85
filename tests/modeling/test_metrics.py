"""Metrics worked out by hand, and against the libraries that others use."""

import pytest
from nltk.translate.gleu_score import corpus_gleu, sentence_gleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from modeling.instances import state_change, state_inference, story_revision
from modeling.metrics.contrast import contrasts
from modeling.metrics.gleu import gleu
from modeling.metrics.share import Share, added
from modeling.metrics.texts import text_scores
from modeling.run_folder import Output
from modeling.tasks.registry import TASKS
from modeling.tasks.scoring import score_output
from modeling.tasks.task import Scored
from tests.modeling.tuples import make_tuple

PAIRS = [
    ("Mira doesn't like the cake, does she?", "Mira doesn't like any cake."),
    ("the the the the", "the cat is on the mat"),
    ('1,000 cakes - "good" & cheap', "1,000 cakes were good and cheap"),
    ("", "Nothing was said."),
    ("Mira", "Mira"),
]


@pytest.mark.parametrize(("output", "reference"), PAIRS)
def test_gleu_is_that_of_nltk(output: str, reference: str) -> None:
    tokens = Tokenizer13a()

    theirs = sentence_gleu([tokens(reference).split()], tokens(output).split(), 1, 4)

    assert gleu(output, reference).value == pytest.approx(theirs)


def test_added_gleu_is_that_of_a_corpus() -> None:
    tokens = Tokenizer13a()
    theirs = corpus_gleu(
        [[tokens(reference).split()] for _output, reference in PAIRS],
        [tokens(output).split() for output, _reference in PAIRS],
        1,
        4,
    )

    assert added(gleu(*pair) for pair in PAIRS).value == pytest.approx(theirs)


def test_gleu_by_hand() -> None:
    """a b c against a b d: a, b and a b of six runs."""
    assert gleu("a b c", "a b d") == Share(3, 6)


def test_rouge_by_hand() -> None:
    """The longest common subsequence of the whole has two of three words; line by line each line of
    the reference finds its words wherever they stand."""
    found = text_scores("b c\na", "a\nb c")

    assert found["rougeL"].value == pytest.approx(2 / 3)
    assert found["rougeLsum"].value == pytest.approx(1)
    assert found["exact"].value == 0


def test_rouge_does_not_stem() -> None:
    assert text_scores("walking", "walked")["rougeL"].value == 0


def test_an_empty_output_scores_nothing() -> None:
    assert {name: share.value for name, share in text_scores("", "A state.").items()} == {
        "gleu": 0,
        "rougeL": 0,
        "rougeLsum": 0,
        "exact": 0,
    }


def test_contrastive_takes_both_answers_about_a_story() -> None:
    answers = [("s", True), ("s", True), ("t", True), ("t", False), ("alone", True)]

    assert contrasts(answers) == {"s": Share(1), "t": Share(0)}


@pytest.mark.parametrize("slug", TASKS)
def test_the_target_itself_scores_all(slug: str) -> None:
    task = TASKS[slug]
    for one in task.instances(make_tuple()):
        found = task.score(one.fields, one.target, one.target)
        assert {share.value for by in found.shares.values() for share in by.values()} == {1.0}
        assert not found.problems


def test_a_revision_is_scored_as_a_whole_story() -> None:
    [there, _back] = story_revision(make_tuple())

    found = TASKS["story-revision"].score(there.fields, "<extra_id_7>: Nothing.", there.target)

    assert found.read["revision"] == [*make_tuple().story]
    assert found.problems == {"unknown": [7]}
    assert 0.5 < found.shares["revision"]["gleu"].value < 1
    assert found.shares["revision"]["exact"].value == 0


def test_each_state_is_scored_by_itself() -> None:
    [there, _back] = state_change(make_tuple())

    found = TASKS["state-change"].score(
        there.fields, "state1: Mira likes cake. state2: It rains", there.target
    )

    assert found.shares["state"]["exact"].value == 1
    assert found.shares["mod_state"]["gleu"].value == 0


def test_an_answer_that_cannot_be_read_is_wrong_and_reported() -> None:
    [first, *_rest] = state_inference(make_tuple())

    found = TASKS["state-inference"].score(first.fields, "perhaps", first.target)

    assert found.shares["answer"]["accuracy"] == Share(0)
    assert found.problems == {"unreadable": True}


def test_a_metric_that_was_computed_elsewhere_stands_beside_the_others() -> None:
    [there, _back] = state_change(make_tuple())
    task = TASKS["state-change"]
    assert task.texts
    pairs = task.texts(there.fields, "state1: Mira state2: Omar", there.target)

    found = task.score(there.fields, "state1: Mira state2: Omar", there.target)
    more = found.having("bertscore", dict.fromkeys(pairs, 0.5))

    assert pairs["mod_state"] == ("Omar", "Mira dislikes cake.")
    assert more.shares["state"]["bertscore"] == more.shares["mod_state"]["bertscore"] == (0.5, 1)
    assert "bertscore" not in found.shares["state"]


def test_what_a_gpu_worker_scored_is_kept_with_the_other_metrics() -> None:
    [there, _back] = story_revision(make_tuple())
    output = Output(there.key, there.target, details={"bertscore": {"revision": 0.9}})

    found = score_output(TASKS["story-revision"], there, output)

    assert found.shares["revision"]["bertscore"] == Share(0.9)
    assert found.shares["revision"]["exact"] == Share(1)


def test_what_was_scored_comes_back_from_json() -> None:
    [there, _back] = state_change(make_tuple())
    found = TASKS["state-change"].score(there.fields, "state1: Mira", there.target)

    assert Scored.from_dict(found.as_dict()) == found
