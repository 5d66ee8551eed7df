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
