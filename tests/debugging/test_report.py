"""The page that shows a trace: self-contained, linked, and small."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from srcgrad import trace, value_and_grad
from srcgrad.cli import main
from tests.debugging import browser
from tests.debugging.models import ARGUMENTS, mlp, outer, recorded, recurrent, second

X = np.array([0.2, 0.9])


class Rows(HTMLParser):
    """Collects the rows of both sides: keys, tips and texts; and looks at the nesting of tags."""

    OPEN = ("meta", "input", "path", "br")

    def __init__(self, text):
        super().__init__()
        self.side, self.stack = "", []
        self.rows = {"own": [], "made": []}
        self.sources = []
        self.feed(text)
        assert not self.stack

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.sources += [given[name] for name in ("src", "href") if name in given]
        if tag == "section":
            self.side = given["id"]
        if tag == "div" and given.get("class", "").startswith("row"):
            row = {"key": given.get("data-key"), "tip": given.get("data-tip", ""), "text": ""}
            self.rows[self.side].append(row)
        if tag not in self.OPEN:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if "section" in self.stack and self.rows[self.side] and "details" in self.stack:
            self.rows[self.side][-1]["text"] += data


def page(*args, **options):
    """Return the parsed report of a run."""
    return Rows(trace(*args, **options).to_html())


def row_with(rows, text):
    """Return the row with a text."""
    return next(row for row in rows if text in row["text"])


def test_both_sides_and_their_links():
    """Each linked line of the program has a partner, and the other way round."""
    found = page(mlp, *ARGUMENTS)
    own, made = found.rows["own"], found.rows["made"]
    assert {row["key"] for row in own if row["key"]} == {row["key"] for row in made if row["key"]}
    line = row_with(own, "h = np.maximum")
    partners = [row["text"] for row in made if row["key"] == line["key"]]
    assert any("h = np.maximum(sum_, 0)" in text for text in partners)
    assert any("W1_bar" in text for text in partners)
    assert "cotangent of h: float64 (8, 5)" in line["tip"]
    assert any("# hidden layer" in row["text"] for row in own)
    assert found.sources == []


def test_called_functions_loops_and_second_order():
    """Functions have parts of their own; a line that ran often says so."""
    found = page(outer, X, 2.0)
    assert row_with(found.rows["own"], "h = np.tanh(h) * k")["tip"].endswith("ran 2 times")
    assert row_with(found.rows["made"], "def damped_backward")
    found = page(recurrent, 3.0, np.ones(12))
    assert "..." in row_with(found.rows["own"], "h = w * h")["tip"]
    assert row_with(page(second, X).rows["made"], "def logarithm_grad_backward")


def test_recorded_functions_and_odd_text():
    """What is recorded is marked with its reason; text of the program is no markup."""

    def marked(x):
        text = "</script><b>&amp;"
        return np.sum(x) * len(text)

    found = page(marked, X)
    assert "</script><b>&amp;" in row_with(found.rows["own"], "text =")["text"]
    made = trace(value_and_grad(recorded, recorded="allow"), X, ["a"])
    assert made.to_html().count('class="recorded"') == len(made.recorded)


def test_size_and_notebooks(tmp_path):
    """A page is a file of some kilobytes; in a notebook there is a table."""
    made = mlp.trace(*ARGUMENTS)
    made.to_html(tmp_path / "mlp.html")
    assert 5_000 < (tmp_path / "mlp.html").stat().st_size < 100_000
    table = made._repr_html_()
    assert table.startswith("<table>")
    assert "<script" not in table
    assert table.count("<tr>") == 1 + len(made.lines)


def test_the_page_of_a_long_program_is_small(tmp_path):
    """200 lines, with their derivative and all figures, are less than half a megabyte."""
    lines = [f"    v{k} = np.tanh(v{k - 1}) + v{k // 2}" for k in range(1, 200)]
    path = tmp_path / "long.py"
    path.write_text("\n".join(["def long(x):", "    v0 = x", *lines, "    return np.sum(v199)"]))
    space = {"np": np}
    exec(compile(path.read_text(), str(path), "exec"), space)
    text = trace(space["long"], np.array([0.1, 0.2])).to_html()
    assert text.count("np.tanh") >= 199
    assert 100_000 < len(text) < 500_000


def test_infinite_and_empty_values():
    """Values that are not finite have a mark, and nothing fails over them."""

    def odd(x):
        y = x / 0.0 if len(x) == 1 else np.log(x)
        return np.sum(y)

    with np.errstate(all="ignore"):
        text = trace(odd, np.zeros(2)).to_html()
    assert 'class="odd"' in text
    assert trace(lambda x: np.sum(x), np.zeros(0)).to_html()


def test_the_command_line(tmp_path, capsys):
    """`srcgrad report` writes the page."""
    program = tmp_path / "spring.py"
    program.write_text("import numpy as np\n\ndef energy(k, x):\n    return k * np.sum(x * x)\n")
    out = tmp_path / "page.html"
    arguments = ["report", f"{program}:energy", "--args", "2.0, np.ones(3)"]
    assert main([*arguments, "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"wrote {out}\n"
    assert "energy" in out.read_text()
    assert main([*arguments, "--out", str(tmp_path / "none" / "page.html")]) == 2
    assert main(["report", f"{program}:energy", "--args", "1"]) == 2


PROBE = """
<script>
addEventListener('load', () => {
  const row = [...document.querySelectorAll('#own .row[data-key]')]
    .find(r => r.textContent.includes('h = np.maximum'));
  row.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  const lit = [...document.querySelectorAll('#made .row.lit')].length;
  const curves = document.querySelectorAll('svg path').length;
  dispatchEvent(new KeyboardEvent('keydown', { key: 'j' }));
  const next = document.querySelector('#own .row.lit').textContent.trim();
  const box = document.getElementById('search');
  box.value = 'tanh'; box.dispatchEvent(new Event('input'));
  const dim = document.querySelectorAll('.row.dim').length;
  dispatchEvent(new KeyboardEvent('keydown', { key: 't' }));
  document.title = ['found', lit, curves, dim > 0, next,
    document.documentElement.dataset.theme].join('|');
});
</script></body>
"""


@pytest.mark.skipif(browser.found() is None, reason="there is no Chromium")
def test_in_a_browser(tmp_path):
    """Lines light up their partners, curves connect them, keys and search work, no errors."""
    file = tmp_path / "mlp.html"
    text = mlp.trace(*ARGUMENTS).to_html()
    file.write_text(text.replace("</body>", PROBE))
    done = browser.run(file, "--dump-dom", "--window-size=1400,900")
    found = re.search(r"<title>found\|(\d+)\|(\d+)\|(\w+)\|(.*?)\|(\w+)</title>", done.stdout)
    assert found is not None, done.stderr[-2000:]
    lit, curves, dim, following, theme = found.groups()
    assert int(lit) == int(curves) > 2
    assert dim == "true"
    assert "r = h @ W2 - y" in following
    assert theme in ("dark", "light")
    assert not browser.console(done)
