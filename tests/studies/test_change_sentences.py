import threading

import pytest
from django.db import connection

from studies.models import Story
from studies.services.story_sentences import SentencesRefused, merge_sentences, split_sentence
from tests.studies.factories import make_round, make_stories, make_study


def make_story(sentences: list[str], roles: list[str] | None = None) -> Story:
    (story,) = make_stories(make_study(), 1, sentences)
    if roles:
        story.roles = roles
        story.save()
    return story


@pytest.mark.django_db
def test_a_sentence_becomes_two_of_the_same_role() -> None:
    story = make_story(["She left.", "It rained Bob ran."], ["premise", "ending"])

    split_sentence(story=story, sentence=2, offset=9, seen=story.sentences)

    story.refresh_from_db()
    assert story.sentences == ["She left.", "It rained", "Bob ran."]
    assert story.roles == ["premise", "ending", "ending"]


@pytest.mark.django_db
def test_two_sentences_become_one() -> None:
    story = make_story(["Mr.", "Gray left.", "It rained."])

    merge_sentences(story=story, sentence=1, seen=story.sentences)

    story.refresh_from_db()
    assert story.sentences == ["Mr. Gray left.", "It rained."]
    assert story.roles == ["", ""]


@pytest.mark.django_db
@pytest.mark.parametrize("offset", [-1, 0, 1, 10, 99])
def test_a_split_that_leaves_a_part_empty_is_refused(offset: int) -> None:
    story = make_story([" It rained"])

    with pytest.raises(SentencesRefused, match="Both parts"):
        split_sentence(story=story, sentence=1, offset=offset, seen=story.sentences)


@pytest.mark.django_db
@pytest.mark.parametrize("sentence", [0, 3, -1])
def test_a_sentence_that_is_not_there_is_refused(sentence: int) -> None:
    story = make_story(["A b.", "C."])

    with pytest.raises(SentencesRefused, match="no such sentence"):
        split_sentence(story=story, sentence=sentence, offset=1, seen=story.sentences)


@pytest.mark.django_db
def test_the_last_sentence_has_nothing_to_merge_with() -> None:
    story = make_story(["A.", "B."])

    with pytest.raises(SentencesRefused, match="follows"):
        merge_sentences(story=story, sentence=2, seen=story.sentences)


@pytest.mark.django_db
def test_sentences_of_different_roles_do_not_merge() -> None:
    story = make_story(["A.", "B."], ["premise", "initial"])

    with pytest.raises(SentencesRefused, match="roles"):
        merge_sentences(story=story, sentence=1, seen=story.sentences)


@pytest.mark.django_db
def test_a_story_that_a_task_uses_stays_as_it_is() -> None:
    round = make_round(stories=1)
    story = Story.objects.get(study=round.study)

    with pytest.raises(SentencesRefused, match="A round uses this story"):
        split_sentence(story=story, sentence=1, offset=4, seen=story.sentences)
    with pytest.raises(SentencesRefused, match="A round uses this story"):
        merge_sentences(story=story, sentence=1, seen=story.sentences)


@pytest.mark.django_db
def test_a_change_made_on_an_old_view_of_the_story_is_refused() -> None:
    story = make_story(["A b.", "C d."])
    seen = list(story.sentences)
    split_sentence(story=story, sentence=1, offset=1, seen=seen)

    with pytest.raises(SentencesRefused, match="changed meanwhile"):
        split_sentence(story=story, sentence=1, offset=1, seen=seen)


@pytest.mark.django_db(transaction=True)
def test_of_two_changes_at_once_one_wins_and_the_other_is_told() -> None:
    story = make_story(["A b.", "C d."])
    seen = list(story.sentences)
    start = threading.Barrier(2)
    results: list[str] = []

    def run() -> None:
        try:
            start.wait()
            split_sentence(story=story, sentence=1, offset=1, seen=seen)
            results.append("done")
        except SentencesRefused:
            results.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(results) == ["done", "refused"]
    story.refresh_from_db()
    assert story.sentences == ["A", "b.", "C d."]
