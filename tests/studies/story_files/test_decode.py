import pytest

from tests.studies.story_files.reading import ROC_HEADER, problems, read

TEXT = "story_id,title,line1,line2\n1,Café,It’s late 🌒.,Она спит.\n"


@pytest.mark.parametrize(
    ("codec", "label"),
    [
        ("utf-8", "UTF-8"),
        ("utf-8-sig", "UTF-8 with byte order mark"),
        ("utf-16", "UTF-16"),
    ],
)
def test_utf_8_and_marked_utf_16_give_the_same_text(codec: str, label: str) -> None:
    stories, report = read(TEXT.encode(codec))

    assert stories[0].title == "Café"
    assert stories[0].sentences == ("It’s late 🌒.", "Она спит.")
    assert report.encoding == label


@pytest.mark.parametrize(
    ("beginning", "told"),
    [
        (b"PK\x03\x04\x14\x00\x06\x00", "This is a spreadsheet, a document or an archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00", "Save it as CSV"),
        (b"\x1f\x8b\x08\x00", "This file is compressed."),
    ],
)
def test_what_is_no_text_is_told_what_to_do(beginning: bytes, told: str) -> None:
    (problem,) = problems(beginning + bytes(range(256)) * 9)

    assert told in problem


def test_stories_that_begin_as_an_archive_of_old_are_stories() -> None:
    """Only whole beginnings count: letters may stand at the start of a text."""
    stories, _report = read(b"PK,story_id,title,line1,line2\n7,1,T,A.,B.\n")

    assert stories[0].sentences == ("A.", "B.")


def test_big_endian_utf_16_is_read_by_its_mark() -> None:
    stories, _report = read(b"\xfe\xff" + TEXT.encode("utf-16-be"))

    assert stories[0].title == "Café"


def test_a_byte_of_windows_1252_is_refused_with_row_offset_and_value() -> None:
    content = (ROC_HEADER + "1,T,It’s late.,B.,C.,D.,E.\n").encode("cp1252")

    assert problems(content) == [
        f"Row 2: Byte 0x92 at offset {content.index(0x92)} is not UTF-8. In Windows-1252 it would"
        " be “’”. Save the file as UTF-8 and try again."
    ]


def test_the_row_of_a_bad_byte_is_counted_as_a_spreadsheet_does() -> None:
    content = b'story_id,title,line1,line2\n1,T,"a\nb\nc",B.\n2,T,caf\xe9.,B.\n'

    (problem,) = problems(content)

    assert problem.startswith("Row 3 (line 5): Byte 0xe9 at offset 49 is not UTF-8.")


@pytest.mark.parametrize("before", [0, 1, 8_191, 8_192, 1_048_576, 2_500_000])
def test_a_bad_byte_is_found_wherever_the_file_is_cut_for_reading(before: int) -> None:
    head = b"story_id,title,line1,line2\n"
    filler = b"1,T,A.,B.\n" * (before // 10)
    content = head + filler + b"2,T,\xc3\xa9 then \xff.,B.\n"

    found = problems(content)

    assert found[-1].startswith(
        f"Row {2 + before // 10}: Byte 0xff at offset {content.index(0xFF)} is not UTF-8."
    )


def test_a_character_cut_off_at_the_end_is_refused() -> None:
    content = TEXT.encode()[:-4] + b"\xd0"

    assert "Byte 0xd0" in problems(content)[0]


def test_bytes_of_one_json_line_are_named_by_its_row() -> None:
    content = b'{"story_id":"1","premise":"a","initial":"b","original_ending":"c"}\n{"caf\xe9"}\n'

    assert problems(content)[0].startswith("Row 2: Byte 0xe9 at offset 72")


def test_utf_16_without_a_mark_is_refused_once() -> None:
    (problem,) = problems(TEXT.encode("utf-16-le"))

    assert "UTF-16 without a byte order mark" in problem


def test_half_a_character_of_utf_16_is_refused() -> None:
    assert "is not UTF-16" in problems(TEXT.encode("utf-16")[:-1])[0]


def test_utf_32_is_refused_by_name() -> None:
    assert problems(TEXT.encode("utf-32")) == [
        "This file is UTF-32. Save it as UTF-8 and try again."
    ]
