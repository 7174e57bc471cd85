from annotation.tasks.state_annotation import instructions, texts
from annotation.tasks.state_annotation.form import StateAnnotationForm
from annotation.tasks.state_annotation.task_type import StateAnnotation
from studies import task_types
from studies.models import Story
from tests.annotation.forms import ITEM, filled

STATE_ANNOTATION = StateAnnotation()


def test_the_task_type_is_registered_under_its_name() -> None:
    assert isinstance(task_types.get("state_annotation"), StateAnnotation)


def test_what_travels_to_the_marketplace_is_plain_text() -> None:
    for value in (
        STATE_ANNOTATION.name,
        STATE_ANNOTATION.hit_title,
        STATE_ANNOTATION.hit_description,
        STATE_ANNOTATION.hit_keywords,
    ):
        assert type(value) is str
    # The marketplace's own limits.
    assert len(STATE_ANNOTATION.hit_title) <= 128
    assert len(STATE_ANNOTATION.hit_description) <= 2000


def test_the_item_is_the_story_as_it_stands() -> None:
    story = Story(external_id="007e5", title="Two cups", sentences=["A  b.", "c"], roles=["", ""])

    assert STATE_ANNOTATION.item(story) == {
        "story_id": "007e5",
        "title": "Two cups",
        "sentences": ["A  b.", "c"],
    }


def test_a_response_yields_one_contribution() -> None:
    form = filled()
    assert form.is_valid()

    pieces = STATE_ANNOTATION.contributions(form.answers(), ITEM)

    assert pieces == [{"kind": "state_annotation", "content": form.answers()}]


def test_the_preview_shows_a_filled_example() -> None:
    form = StateAnnotationForm(
        item=STATE_ANNOTATION.example_item(), initial=STATE_ANNOTATION.example_answers()
    )

    assert form["assertion"].value() == "Ivo was glad about the letter."
    assert [row.ticked for row in form.rows] == [False, False, True, True, False]
    assert form.rows[3].revised == "Then he went pale and sat down on the step."


def test_the_four_steps_follow_the_form() -> None:
    assert [step.number for step in texts.STEPS] == [1, 2, 3, 4]
    names = list(StateAnnotationForm(item=ITEM).fields)
    assert names[:3] == [step.key for step in texts.STEPS[:3]]
    assert names[3].startswith(texts.STEPS[3].key)


def test_every_worked_example_passes_our_own_checks() -> None:
    for example in instructions.WORKED_EXAMPLES:
        item = {"story_id": "", "title": "", "sentences": [str(s) for s in example.sentences]}
        data = {
            "assertion": str(example.assertion),
            "justification": [str(n) for n in example.justification],
            "changed_assertion": str(example.changed_assertion),
            **{f"revision_{n}": str(s) for n, s in enumerate(example.revision, 1)},
        }

        form = StateAnnotationForm(data, item=item)

        assert form.is_valid(), form.errors
        assert form.cautions() == []
        assert [row.number for row in example.rows if row.changed] == [n for n, _ in example.edits]


def test_the_instructions_examples_agree_with_our_own_checks() -> None:
    for sentence, is_state, _why in instructions.INSTRUCTIONS.state_examples:
        form = filled(assertion=str(sentence))
        assert form.is_valid()
        if is_state:
            assert form.cautions() == []
