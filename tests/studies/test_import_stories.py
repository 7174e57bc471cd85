import io
import threading
from pathlib import Path

import pytest
from django.db import connection

from studies.models import Story, Study
from studies.services.stories import StoryImport, import_stories
from studies.services.story_sentences import split_sentence
from tests.studies.factories import make_study

HEADER = "story_id,title,line1,line2\n"
TWO = HEADER + "007,A walk,Ann went out.,It rained.\n8,Home,Bob slept.,He woke.\n"


def bring(
    study: Study, content: str | bytes, *, dry_run: bool = False, format: str = "auto"
) -> StoryImport:
    data = content.encode() if isinstance(content, str) else content
    return import_stories(
        study=study, source=io.BytesIO(data), name="file.csv", format=format, dry_run=dry_run
    )


def texts(study: Study) -> list[tuple[str, str, list[str], list[str]]]:
    return list(study.stories.values_list("external_id", "title", "sentences", "roles"))


@pytest.mark.django_db
def test_the_stories_of_a_file_are_stored_in_its_order() -> None:
    study = make_study()

    outcome = bring(study, TWO)

    assert outcome.ok and (outcome.added, outcome.unchanged) == (2, 0)
    assert texts(study) == [
        ("007", "A walk", ["Ann went out.", "It rained."], ["", ""]),
        ("8", "Home", ["Bob slept.", "He woke."], ["", ""]),
    ]
    assert set(study.stories.values_list("source", flat=True)) == {"file.csv"}


@pytest.mark.django_db
def test_every_character_arrives_as_typed() -> None:
    study = make_study()
    sentences = [
        "back\\slash \\N \\. {\"a\",'b'} NULL",
        "tab\there\rCR\nLF\r\nCRLF\u2028LS",
        "🧑\u200d🚀 ذهب e\u0301 \u200b\x01 100%s",
    ]
    quoted = ",".join('"' + text.replace('"', '""') + '"' for text in sentences)

    outcome = bring(study, f'story_id,title,line1,line2,line3\n"a\\,1","\\t",{quoted}\n')

    assert outcome.ok
    assert texts(study) == [("a\\,1", "\\t", sentences, ["", "", ""])]


@pytest.mark.django_db
def test_running_the_same_file_again_changes_nothing_and_says_so() -> None:
    study = make_study()
    bring(study, TWO)
    before = list(study.stories.values())

    outcome = bring(study, TWO)

    assert outcome.ok and (outcome.added, outcome.unchanged) == (0, 2)
    assert list(study.stories.values()) == before


@pytest.mark.django_db
def test_only_the_new_stories_of_a_longer_file_are_added() -> None:
    study = make_study()
    bring(study, TWO)

    outcome = bring(study, HEADER + "9,Sea,A.,B.\n" + TWO.removeprefix(HEADER) + "10,Sky,C.,D.\n")

    assert (outcome.added, outcome.unchanged) == (2, 2)
    assert [row[0] for row in texts(study)] == ["007", "8", "9", "10"]


@pytest.mark.django_db
def test_a_dry_run_says_what_would_happen_and_stores_nothing() -> None:
    study = make_study()

    outcome = bring(study, TWO, dry_run=True)

    assert outcome.dry_run and outcome.added == 2
    assert not study.stories.exists()


@pytest.mark.django_db
def test_one_bad_row_keeps_the_whole_file_out() -> None:
    study = make_study()

    outcome = bring(study, TWO + "9,Sea,,B.\n")

    assert not outcome.ok and outcome.added == 0
    assert outcome.problem_lines() == ["file.csv: Row 4, column line1: This sentence is empty."]
    assert not study.stories.exists()


@pytest.mark.django_db
def test_another_text_under_a_stored_id_names_the_row_and_both_texts() -> None:
    study = make_study()
    bring(study, TWO)
    stored = study.stories.get(external_id="8")

    outcome = bring(study, HEADER + "9,Sea,A.,B.\n8,Home,Bob slept.,He rose.\n")

    assert outcome.problem_lines() == [
        "file.csv: Row 3: Story 8 is in this study with another text"
        f" (stored as number {stored.pk})."
        " Sentence 2 is stored as “He woke.”; the file has “He rose.”."
    ]
    assert study.stories.count() == 2


@pytest.mark.django_db
def test_ids_and_texts_are_compared_composed_and_kept_as_first_typed() -> None:
    study = make_study()
    bring(study, HEADER + "Zoe\u0301,T,Cafe\u0301.,B.\n")

    outcome = bring(study, HEADER + "Zo\u00e9,T,Caf\u00e9.,B.\n")

    assert (outcome.added, outcome.unchanged) == (0, 1)
    assert texts(study)[0][0] == "Zoe\u0301"


@pytest.mark.django_db
def test_sentences_split_by_hand_stay_when_the_file_comes_again() -> None:
    study = make_study()
    content = HEADER + "1,T,Ann ran Bob fell.,B.\n"
    bring(study, content)
    story = study.stories.get()
    split_sentence(story=story, sentence=1, offset=8, seen=story.sentences)

    outcome = bring(study, content)

    assert outcome.ok and (outcome.added, outcome.unchanged) == (0, 1)
    assert [notice.code for notice in outcome.notices] == ["split_by_hand"]
    assert study.stories.get().sentences == ["Ann ran", "Bob fell.", "B."]


@pytest.mark.django_db
def test_two_studies_may_hold_the_same_stories() -> None:
    bring(make_study(), TWO)

    assert bring(make_study(), TWO).added == 2


@pytest.mark.django_db
def test_progress_reaches_the_end_and_what_it_raises_stops_the_import() -> None:
    study = make_study()
    steps: list[tuple[int, int | None]] = []

    def stop(done: int, total: int | None, message: str) -> None:
        steps.append((done, total))
        if done == total:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        import_stories(study=study, source=io.BytesIO(TWO.encode()), name="f", progress=stop)

    assert steps[-1] == (len(TWO), len(TWO))
    assert not study.stories.exists()


@pytest.mark.django_db(transaction=True)
def test_two_imports_of_one_file_at_once_store_it_once() -> None:
    study = make_study()
    content = HEADER + "".join(f"{n},T,Sentence {n}.,B.\n" for n in range(5_000))
    start = threading.Barrier(4)
    outcomes: list[StoryImport] = []

    def run() -> None:
        try:
            start.wait()
            outcomes.append(bring(study, content))
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted((o.added, o.unchanged) for o in outcomes) == [(0, 5_000)] * 3 + [(5_000, 0)]
    assert Story.objects.filter(study=study).count() == 5_000


@pytest.mark.shared_data
@pytest.mark.django_db
def test_the_published_files_come_in_whole(shared_data: Path) -> None:
    wanted = [
        (["pasta/val_data.jsonl", "pasta/te_data.jsonl"], 1_061),
        (["possible_stories/endings.jsonl"], 1_350),
        (["timetravel/dev_data.json", "timetravel/test_data.json"], 3_742),
    ]
    for names, count in wanted:
        study = make_study()
        for name in names:
            for expected_to_add in (True, False):
                with (shared_data / name).open("rb") as source:
                    outcome = import_stories(study=study, source=source, name=name)
                assert outcome.ok and bool(outcome.added) is expected_to_add

        assert study.stories.count() == count
