import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.spreadsheet_cells import neutralise, restore


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "＝1",
        "＋1",
        "－1",
        "＠x",
        " =1",
        "\u00a0=1",
        "\u3000＝1",
        "'=1",
        "''@x",
    ],
)
def test_a_cell_that_starts_like_a_formula_is_made_harmless_and_restored(cell: str) -> None:
    assert neutralise(cell) == f"'{cell}"
    assert restore(neutralise(cell)) == cell


@pytest.mark.parametrize("cell", ["", "Ann ran.", "'Stop!' he said.", "1-2", "a=b", "’=x"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert neutralise(cell) == cell
    assert restore(cell) == cell


@given(st.text(st.sampled_from("'=+-@＝ \t\r\nab"), max_size=8))
def test_every_cell_comes_back(cell: str) -> None:
    assert restore(neutralise(cell)) == cell
    assert not neutralise(cell).lstrip().startswith(("=", "+", "-", "@", "＝"))
