// The columns of a table: use, kind, missing share, and the rows by value and class as small figures.
// All text from data goes in as text, never as markup.

function figure(bars, colours, classes, label) {
  const whole = document.createElement("div");
  whole.className = "figure";
  whole.setAttribute("role", "img");
  whole.setAttribute("aria-label", label);
  const most = Math.max(1, ...bars.map((counts) => counts.reduce((sum, count) => sum + count, 0)));
  bars.forEach((counts) => {
    const bar = document.createElement("div");
    bar.className = "bar";
    counts.forEach((count, index) => {
      if (!count) return;
      const piece = document.createElement("div");
      piece.style.height = `${(100 * count) / most}%`;
      piece.style.background = colours[index];
      piece.title = `${classes[index]}: ${count.toLocaleString("en-US")} row${count === 1 ? "" : "s"}`;
      bar.append(piece);
    });
    whole.append(bar);
  });
  return whole;
}

// A long name may break after what separates its words, and nowhere else as long as that is enough.
function broken(place, text) {
  text.split(/(?<=[_./:;,-])/).forEach((part) => place.append(part, document.createElement("wbr")));
}

function line(column, data, tell) {
  const row = document.createElement("tr");
  if (column.role !== "used") row.className = column.role === "target" ? "target" : "unused";
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = column.used;
  box.setAttribute("aria-label", `Use ${column.name}`);
  box.onchange = () => tell({ name: column.name, used: box.checked });
  const name = document.createElement("span");
  broken(name, column.name);
  name.title = column.reason ? `${column.name}: ${column.reason}` : column.name;
  let kind = document.createElement("span");
  if (column.role === "target") {
    kind.textContent = "target";
  } else {
    kind = document.createElement("select");
    kind.setAttribute("aria-label", `Kind of ${column.name}`);
    data.kinds.forEach((option) => {
      const choice = document.createElement("option");
      choice.textContent = option;
      choice.selected = option === column.kind;
      kind.append(choice);
    });
    kind.onchange = () => tell({ name: column.name, kind: kind.value });
  }
  const cells = [column.role === "target" ? "" : box, name, kind, column.missing, column.distinct,
    figure(column.bars, data.colours, data.classes, `Training rows by ${column.name} and class`)];
  cells.forEach((content, place) => {
    const cell = document.createElement("td");
    if (place === 3 || place === 4) cell.className = place === 4 ? "number distinct" : "number";
    if (place === 1) cell.className = "name";
    cell.append(content);
    row.append(cell);
  });
  return row;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const body = parentElement.querySelector("tbody");
  body.replaceChildren(...data.columns.map((column) => line(column, data, (change) => setTriggerValue("changed", change))));
}
