import csv
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.story_files.tables import CELL_LIMIT
from tests.studies.story_files.reading import ROC_HEADER, problems, read

ROW = "s1,A walk,Ann went out.,It rained.,She ran.,She fell.,She laughed.\n"


def test_a_rocstories_table_is_read_as_it_stands() -> None:
    stories, report = read(ROC_HEADER + ROW)

    assert stories[0].external_id == "s1"
    assert stories[0].title == "A walk"
    assert stories[0].sentences[0] == "Ann went out."
    assert stories[0].roles == ("",) * 5
    assert (report.format, report.delimiter, report.encoding) == ("roc-csv", ",", "UTF-8")
    assert report.ok and report.lengths == {5: 1}


def test_a_generic_table_has_as_many_sentences_as_its_header() -> None:
    stories, report = read("story_id,title,line1,line2\n1,T,One.,Two.\n")

    assert stories[0].sentences == ("One.", "Two.")
    assert report.format == "csv"


def test_stories_of_any_length_from_two_share_a_generic_table() -> None:
    stories, report = read("story_id,title,line1,line2,line3\n1,T,One.,Two.,\n2,T,A.,B.,C.\n")

    assert [len(story.sentences) for story in stories] == [2, 3]
    assert not report.notices


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_header_tells_the_delimiter_and_any_line_end_will_do(delimiter: str, end: str) -> None:
    header = delimiter.join(["story_id", "title", "line1", "line2"])
    row = delimiter.join(["1", "T", '"One, two; three\tfour."', "B."])

    stories, report = read(f"{header}{end}{row}{end}")

    assert stories[0].sentences == ("One, two; three\tfour.", "B.")
    assert report.delimiter == delimiter


def test_quoted_line_breaks_and_quotes_belong_to_the_text() -> None:
    stories, _report = read('story_id,title,line1,line2\n1,T,"One\r\ntwo.","He said ""no""."\n')

    assert stories[0].sentences == ("One\r\ntwo.", 'He said "no".')


def test_quotes_inside_an_unquoted_cell_are_text() -> None:
    stories, _report = read('story_id,title,line1,line2\n1,T,He said "no".,B.\n')

    assert stories[0].sentences[0] == 'He said "no".'


@pytest.mark.parametrize("word", ["None", "NA", "NaN", "null", "TRUE", "=1+1", "0", "1e5"])
def test_words_that_other_tools_convert_stay_text(word: str) -> None:
    stories, report = read(f"story_id,title,line1,line2\n1,{word},{word},{word}\n")

    assert stories[0].title == word
    assert stories[0].sentences == (word, word)
    assert report.ok


@pytest.mark.parametrize("story_id", ["007", "891e3", "1.0", "-5", "0x1F", "٣", "12 "])
def test_ids_are_kept_to_the_letter(story_id: str) -> None:
    stories, _report = read(f"story_id,title,line1,line2\n{story_id},T,A.,B.\n")

    assert stories[0].external_id == story_id


@pytest.mark.parametrize(
    "text",
    ["🧑‍🚀 flew.", "ذهب إلى البيت.", "zero\u200bwidth.", "line\u2028sep.", "e\u0301 bis.", "\x0b."],
)
def test_unicode_is_kept_as_typed(text: str) -> None:
    stories, report = read(f"story_id,title,line1,line2\n1,T,{text},B.\n")

    assert stories[0].sentences[0] == text
    assert report.ok


def test_columns_are_found_whatever_their_case_order_and_company() -> None:
    stories, report = read("Line2, TITLE ,mood,story_id,line1\nB.,T,glad,1,A.\n")

    assert stories[0].sentences == ("A.", "B.")
    assert report.unused_fields == ("mood",)


def test_empty_rows_and_empty_surplus_cells_are_passed_over() -> None:
    content = "story_id,title,line1,line2,,\n\n1,T,A.,B.,,\n,,,,,\n2,T,A.,C.,,,,\n"

    stories, report = read(content)

    assert [story.external_id for story in stories] == ["1", "2"]
    assert report.ok


def test_a_row_of_another_length_is_named() -> None:
    content = "story_id,title,line1,line2\n1,T,A.\n2,T,A.,B.,C.\n3,T,A.,B.\n"

    assert problems(content) == [
        "Row 2: This row has 3 cells, the header has 4.",
        "Row 3: This row has 5 cells, the header has 4.",
    ]


@pytest.mark.parametrize(
    ("content", "column"),
    [
        ("storyid,storytitle,sentence1,sentence2,sentence3,sentence5\n", "sentence4"),
        ("storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\n", "storyid"),
        ("story_id,line1,line2\n", "title"),
        ("story_id,title,line1,line3\n", "line2"),
        ("story_id,title,line1\n", "line2"),
    ],
)
def test_a_missing_column_is_named(content: str, column: str) -> None:
    (problem,) = problems(content)
    assert problem.startswith(f"Row 1, column {column}: This column is missing. ")


def test_what_columns_stories_need_is_told_once_where_some_are_missing() -> None:
    assert problems("story_id,line1\n") == [
        "Row 1, column title: This column is missing. Stories of your own need story_id, title,"
        " line1, line2 and so on: a column for each sentence of the longest story, and never fewer"
        " than two.",
        "Row 1, column line2: This column is missing.",
    ]


def test_a_missing_column_of_a_named_format_is_named_too() -> None:
    assert problems("a,b\n1,2\n", "roc-csv")[0] == (
        "Row 1, column storyid: This column is missing. ROCStories have storyid, storytitle,"
        " sentence1 to sentence5."
    )


def test_a_column_that_is_there_twice_is_named() -> None:
    content = "story_id,title,line1,line2,line1\n1,T,A.,B.,C.\n"

    assert problems(content) == ["Row 1, column line1: There is more than one column of this name."]


def test_a_far_away_column_number_does_not_name_millions_of_missing_ones() -> None:
    _stories, report = read("story_id,title,line1,line2,line9999999\n1,T,A.,B.,C.\n")

    assert 0 < report.problem_count < 50


def test_unknown_columns_are_told_with_what_would_do() -> None:
    (problem,) = problems("name,text\n1,2\n")

    assert "name, text" in problem and "story_id" in problem and "storyid" in problem


def test_a_quote_that_is_never_closed_is_named_where_it_opens() -> None:
    content = ROC_HEADER + ROW + 's2,T,A.,"B.,C.,D.,E.\n' + ROW.replace("s1", "s3")

    found = problems(content)

    assert found[0] == "Row 3, column sentence2: A quote is opened here and never closed."
    assert found[1] == "What follows row 3 was not read: where rows end is unclear."


def test_a_quote_closed_by_another_cells_quote_is_named_where_it_opens() -> None:
    content = ROC_HEADER + 's1,T,A.,"B.,C.,D.,E.\ns2,T,A.,"B.",C.,D.,E.\n'

    assert problems(content)[0].startswith("Row 2, column sentence2: A cell that starts with")


def test_text_after_a_closing_quote_is_named_and_reading_goes_on() -> None:
    content = 'story_id,title,line1,line2\n1,T,"No," he said.,B.\n2,T,A.,\n3,T,,B.\n'

    found = problems(content)

    assert [line.split(":")[0] for line in found] == [
        "Row 2, column line1",
        "Row 4, column line1",
    ]


def test_the_line_is_told_where_rows_and_lines_part() -> None:
    content = 'story_id,title,line1,line2\n1,T,"One\ntwo\nthree.",B.\n2,T,,B.\n'

    assert problems(content) == ["Row 3 (line 5), column line1: This sentence is empty."]


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_cell_at_the_limit_passes_and_one_beyond_is_named_with_it(quote: str) -> None:
    row = "story_id,title,line1,line2\n1,T,{0}{1}{0},B.\n2,T,,B.\n"

    assert len(problems(row.format(quote, "x" * CELL_LIMIT))) == 1
    found = problems(row.format(quote, "x" * (CELL_LIMIT + 1)))
    assert found[0].startswith("Row 2, column line1: This cell has more than 131,072 characters")
    assert found[-1] == "Row 3, column line1: This sentence is empty."


def test_a_long_cell_of_many_lines_is_named_too() -> None:
    content = 'story_id,title,line1,line2\n1,T,"' + "xy\n" * 50_000 + '",B.\n'

    assert problems(content)[0].startswith("Row 2, column line1: This cell has more than 131,072")


def test_a_nul_character_is_named() -> None:
    assert problems("story_id,title,line1,line2\n1,T,A.,B\0.\n2,T,A.,B.\n") == [
        "Row 2, column line2: A NUL character stands here. It cannot be stored."
    ]


@pytest.mark.parametrize("empty", ["", " ", "\t", "\u00a0", "\u200b", "\ufeff \u200d"])
def test_an_empty_sentence_is_named(empty: str) -> None:
    content = f'story_id,title,line1,line2,line3\n1,T,A.,"{empty}",C.\n'

    assert problems(content) == ["Row 2, column line2: This sentence is empty."]


def test_an_empty_id_and_too_long_ones_are_named() -> None:
    content = f"story_id,title,line1,line2\n ,T,A.,B.\n{'x' * 201},{'t' * 501},A.,B.\n"

    assert problems(content) == [
        "Row 2, column story_id: The story id is empty.",
        "Row 3, column story_id: An id has at most 200 characters.",
        "Row 3, column title: A title has at most 500 characters.",
    ]


def test_a_repeated_story_is_one_and_another_text_under_its_id_names_both_rows() -> None:
    content = "story_id,title,line1,line2\n1,T,A.,B.\n2,T,A.,B.\n1,T,A.,B.\n2,T,A.,C.\n"

    stories, report = read(content)

    assert [story.external_id for story in stories] == ["1", "2"]
    assert report.repeated_rows == 1
    assert [str(problem) for problem in report.problems] == [
        "Row 5: Story 2 is in row 3 already, with another text."
    ]


def test_composed_and_decomposed_text_is_the_same_story() -> None:
    composed, decomposed = (unicodedata.normalize(form, "Zoé") for form in ("NFC", "NFD"))
    rows = f"{composed},T,{decomposed}.,B.\n{decomposed},T,{composed}.,B.\n"
    content = f"story_id,title,line1,line2\n{rows}"

    stories, report = read(content)

    assert len(stories) == 1 and report.repeated_rows == 1 and report.ok
    assert stories[0].sentences[0] == f"{decomposed}."


def test_a_character_lost_earlier_is_pointed_out() -> None:
    _stories, report = read("story_id,title,line1,line2\n1,T,It\ufffds late.,B.\n")

    assert report.ok
    assert [notice.code for notice in report.notices] == ["lost_character"]


def test_twenty_problems_are_told_and_the_others_counted() -> None:
    content = "story_id,title,line1,line2\n" + "".join(f"{n},T,,B.\n" for n in range(332))

    _stories, report = read(content)
    lines = report.problem_lines()

    assert report.problem_count == 332
    assert len(lines) == 21
    assert lines[0] == "file: Row 2, column line1: This sentence is empty."
    assert lines[-1] == "and 312 more"


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff", "story_id,title,line1,line2\n"])
def test_a_file_without_stories_says_so(content: str) -> None:
    assert problems(content) == ["There are no stories in this file."]


def test_an_unknown_format_name_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="xlsx"):
        read("", "xlsx")


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
sentence = text.map(lambda value: f"{value}.")
story = st.tuples(text, st.lists(sentence, min_size=3, max_size=3))


@given(
    stories=st.lists(story, min_size=1, max_size=8),
    delimiter=st.sampled_from([",", ";", "\t"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    # With "\\n" the csv module leaves a lone CR bare unless told to quote everything, and cannot
    # read it back itself.
    style=st.sampled_from([("\r\n", csv.QUOTE_MINIMAL), ("\n", csv.QUOTE_ALL)]),
)
def test_whatever_the_csv_module_writes_is_read_back_the_same(
    stories: list[tuple[str, list[str]]], delimiter: str, encoding: str, style: tuple[str, int]
) -> None:
    end, quoting = style
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)  # type: ignore[arg-type]
    writer.writerow(["story_id", "title", "line1", "line2", "line3"])
    for number, (title, sentences) in enumerate(stories):
        writer.writerow([f"id{number}", title, *sentences])

    parsed, report = read(out.getvalue().encode(encoding))

    assert report.problem_lines() == []
    assert [(s.title, list(s.sentences)) for s in parsed] == stories
