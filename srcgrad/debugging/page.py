"""The style and the behaviour of a report: a page that needs nothing from elsewhere."""

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1f2328; --soft: #656d76;
  --line: #d8dee4; --bar: #f6f8fa; --mark: #fff3c4; --link: #d97706; --key: #a3186b;
  --text: #0a5c36; --number: #0550ae; --note: #6e7781; --bad: #cf222e;
  --value: 9, 105, 218; --cotangent: 207, 34, 46; --time: 191, 135, 0; --memory: 26, 127, 55; }
:root[data-theme=dark] { --paper: #0d1117; --ink: #e6edf3; --soft: #8d96a0; --line: #30363d;
  --bar: #161b22; --mark: #4a3a06; --link: #f0b429; --key: #ff7bb5; --text: #7ee2a8;
  --number: #79c0ff; --note: #8b949e; --bad: #ff7b72; --value: 56, 139, 253;
  --cotangent: 248, 81, 73; --time: 210, 153, 34; --memory: 63, 185, 80; }
:root[data-theme=dark] { color-scheme: dark; } :root[data-theme=light] { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; }
header { position: sticky; top: 0; z-index: 3; display: flex; flex-wrap: wrap; gap: .4em 1.4em;
  align-items: baseline; padding: .6em 1em; background: var(--bar);
  border-bottom: 1px solid var(--line); }
h1 { font-size: 1.15em; margin: 0; } header span { color: var(--soft); }
header input { font: inherit; padding: .15em .5em; border: 1px solid var(--line);
  border-radius: 4px; background: var(--paper); color: var(--ink); width: 13em; }
button { font: inherit; border: 1px solid var(--line); border-radius: 4px; cursor: pointer;
  background: var(--paper); color: var(--ink); }
.legend i { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 .8em;
  border-radius: 2px; }
.recorded { padding: .5em 1em; border-bottom: 1px solid var(--line); color: var(--soft); }
main { display: grid; grid-template-columns: 1fr 1fr; gap: 3.5em; padding: 1em;
  position: relative; align-items: start; }
section { min-width: 0; } h2 { font-size: .85em; font-weight: 600; color: var(--soft);
  margin: 0 0 .6em; text-transform: uppercase; letter-spacing: .05em; }
details { margin-bottom: 1em; border: 1px solid var(--line); border-radius: 6px;
  overflow-x: auto; }
summary { padding: .3em .7em; background: var(--bar); cursor: pointer; font-weight: 600; }
summary small { color: var(--soft); font-weight: 400; margin-left: .6em; }
.code { font: 12.5px/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  min-width: max-content; padding: .3em 0; }
.row { display: flex; white-space: pre; border-left: 3px solid transparent; }
.row[data-key] { cursor: pointer; } .row.lit { background: var(--mark);
  border-left-color: var(--link); } .row.dim { opacity: .3; }
.row:focus-visible { outline: 2px solid var(--link); outline-offset: -2px; }
.no { width: 4em; padding-right: 1em; text-align: right; color: var(--soft);
  user-select: none; flex: none; }
.heat { display: flex; flex: none; gap: 2px; padding-right: .8em; align-items: stretch; }
.heat b { width: 9px; border-radius: 2px; margin: 1px 0; }
.heat b.odd { outline: 2px solid var(--bad); outline-offset: -2px; }
.back { box-shadow: inset 3px 0 0 rgba(var(--cotangent), .45); }
.k { color: var(--key); } .s { color: var(--text); } .n { color: var(--number); }
.c { color: var(--note); font-style: italic; }
#tip { position: fixed; z-index: 5; display: none; max-width: 34em; padding: .5em .8em;
  background: var(--paper); border: 1px solid var(--line); border-radius: 6px;
  box-shadow: 0 4px 16px rgba(0, 0, 0, .18); white-space: pre; pointer-events: none;
  font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; }
svg { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; }
path { fill: none; stroke: var(--link); stroke-width: 1.6; opacity: .8; }
@media (max-width: 820px) { main { grid-template-columns: 1fr; gap: 1em; } svg { display: none; } }
@media print { header { position: static; } header input, button, svg, #tip { display: none; }
  main { grid-template-columns: 1fr 1fr; gap: 1em; } .code { font-size: 8px; } }
"""

SCRIPT = """
const rows = [...document.querySelectorAll('.row[data-key]')];
const all = [...document.querySelectorAll('.row')];
const main = document.querySelector('main'), svg = document.querySelector('svg');
const tip = document.getElementById('tip'), search = document.getElementById('search');
let current = null, held = false;
function shown(row) { return !row.closest('details:not([open])'); }
function draw(key) {
  svg.replaceChildren();
  if (!key) return;
  const frame = main.getBoundingClientRect();
  const sides = ['#own', '#made'].map(side =>
    rows.filter(r => r.dataset.key === key && r.closest(side) && shown(r)));
  for (const a of sides[0]) for (const b of sides[1]) {
    const p = a.closest('details').getBoundingClientRect(), q = a.getBoundingClientRect();
    const u = b.closest('details').getBoundingClientRect(), v = b.getBoundingClientRect();
    const x1 = p.right - frame.left, y1 = q.top + q.height / 2 - frame.top;
    const x2 = u.left - frame.left, y2 = v.top + v.height / 2 - frame.top;
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    line.setAttribute('d', `M${x1},${y1} C${x1 + 28},${y1} ${x2 - 28},${y2} ${x2},${y2}`);
    svg.append(line);
  }
}
function light(row) {
  current = row;
  const key = row ? row.dataset.key : null;
  for (const r of rows) r.classList.toggle('lit', r.dataset.key === key);
  draw(key);
}
function tell(row, event) {
  const text = row && row.dataset.tip;
  tip.style.display = text ? 'block' : 'none';
  if (!text) return;
  tip.textContent = text;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.min(event.clientX + 16, innerWidth - box.width - 8) + 'px';
  tip.style.top = Math.min(event.clientY + 16, innerHeight - box.height - 8) + 'px';
}
function partner(row) {
  const other = row.closest('#own') ? '#made' : '#own';
  return rows.find(r => r.dataset.key === row.dataset.key && r.closest(other));
}
main.addEventListener('mousemove', event => {
  const row = event.target.closest('.row[data-key]');
  tell(row, event);
  if (!held && row !== current) light(row);
});
main.addEventListener('mouseleave', () => { tell(null); if (!held) light(null); });
main.addEventListener('click', event => {
  const row = event.target.closest('.row[data-key]');
  if (!row) return;
  held = !(held && row.dataset.key === (current && current.dataset.key));
  light(row);
  const other = partner(row);
  if (held && other) { other.closest('details').open = true;
    other.scrollIntoView({ block: 'nearest', behavior: 'smooth' }); }
});
main.addEventListener('toggle', () => draw(current && current.dataset.key), true);
addEventListener('resize', () => draw(current && current.dataset.key));
function seek() {
  const words = search.value.trim().toLowerCase();
  for (const r of all) r.classList.toggle('dim',
    words !== '' && !r.textContent.toLowerCase().includes(words));
  const first = words && all.find(r => !r.classList.contains('dim'));
  if (first) { first.closest('details').open = true;
    first.scrollIntoView({ block: 'nearest' }); }
}
search.addEventListener('input', seek);
function theme() {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
}
document.getElementById('theme').addEventListener('click', theme);
addEventListener('keydown', event => {
  if (event.target === search) {
    if (event.key === 'Escape') { search.value = ''; seek(); search.blur(); }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const side = current && current.closest('#made') ? '#made' : '#own';
  const list = rows.filter(r => r.closest(side) && shown(r));
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  if (step) {
    const at = list.indexOf(current);
    const next = list[Math.max(0, Math.min(list.length - 1, at + step))];
    if (next) { held = true; light(next); next.scrollIntoView({ block: 'nearest' }); }
    event.preventDefault();
  } else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft' || event.key === 'Enter') {
    const other = current && partner(current);
    if (other) { other.closest('details').open = true; held = true; light(other);
      other.scrollIntoView({ block: 'center' }); }
  } else if (event.key === '/') { search.focus(); event.preventDefault();
  } else if (event.key === 't') theme();
  else if (event.key === 'Escape') { held = false; light(null); }
});
if (matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = 'dark';
"""
