"""A notebook in which decorated functions and traces show themselves."""

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ALONE = """
import numpy as np
import srcgrad

def f(x):
    return np.sum(np.tanh(x) ** 2)

srcgrad.grad(f, recorded="refuse")(np.zeros(2))
"""
CELLS = [
    ALONE.strip(),
    "import numpy as np\nfrom srcgrad import differentiate",
    "@differentiate\ndef loss(w, x):\n    return np.sum(np.tanh(w * x) ** 2)\n\nloss",
    "loss.grad(np.ones(2), np.ones(2))",
    "loss",
    "loss.trace(np.ones(2), np.ones(2))",
]


@pytest.mark.filterwarnings("ignore")  # of the kernel's own libraries
def test_notebook(tmp_path):
    """Cells are differentiated, and the source and the trace are shown as HTML."""
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS]
    book = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [cell.outputs[-1]["data"] for cell in book.cells if cell.outputs]
    alone, before, slope, after, trace = shown
    assert alone["text/plain"] == "array([0., 0.])"
    assert "def loss_grad(w, x):" in before["text/html"]
    assert slope["text/plain"].startswith("array([")
    assert "w_bar = " in after["text/html"]
    assert "unbroadcast" not in after["text/html"]
    assert "<table" in trace["text/html"]
    assert "np.tanh(w * x)" in trace["text/html"]
