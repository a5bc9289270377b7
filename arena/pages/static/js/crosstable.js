// Arrows walk over the cells of the crosstable, Home and End go to the ends of a row, and Tab enters it once.

const table = document.querySelector("[data-cross]");
const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1).map((cell) => cell.querySelector("a")));
const links = rows.flat().filter(Boolean);

function choose(link) {
  for (const other of links) other.tabIndex = other === link ? 0 : -1;
}

// From a cell on, the next one in that direction that leads somewhere: a bot has none against itself.
function find(row, column, down, right) {
  do {
    row += down;
    column += right;
  } while (rows[row] && column in rows[row] && !rows[row][column]);
  return rows[row]?.[column];
}

if (links.length) choose(links[0]);
table.addEventListener("focusin", (event) => links.includes(event.target) && choose(event.target));
table.addEventListener("keydown", (event) => {
  const row = rows.findIndex((cells) => cells.includes(event.target));
  if (row < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  const column = rows[row].indexOf(event.target);
  const next = {
    ArrowUp: () => find(row, column, -1, 0),
    ArrowDown: () => find(row, column, 1, 0),
    ArrowLeft: () => find(row, column, 0, -1),
    ArrowRight: () => find(row, column, 0, 1),
    Home: () => rows[row].find(Boolean),
    End: () => rows[row].findLast(Boolean),
  }[event.key];
  if (!next) return;
  event.preventDefault();
  next()?.focus();
});
