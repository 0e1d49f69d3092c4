// The levels of a literal to tick: each with its rows by class, and the bits if it alone went in or out.
// All text from data goes in as text, never as markup.

const MANY = 16;

export default function ({ data, parentElement, setTriggerValue }) {
  const body = parentElement.querySelector("tbody");
  const isNew = !body.children.length;
  body.replaceChildren();
  const most = Math.max(1, ...data.levels.map((level) => level.rows));
  data.levels.forEach((level, number) => {
    const line = document.createElement("tr");
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.checked = level.chosen;
    box.disabled = data.locked;
    const name = document.createElement("span");
    name.textContent = level.name;
    name.title = level.name;
    label.append(box, name);
    box.onchange = () => {
      const boxes = [...body.querySelectorAll("input")];
      setTriggerValue("chosen", data.levels.filter((_, index) => boxes[index].checked).map((part) => part.name));
    };
    const bar = document.createElement("div");
    bar.className = "bar";
    bar.style.width = `${(100 * level.rows) / most}%`;
    level.counts.forEach((count, index) => {
      if (!count) return;
      const piece = document.createElement("div");
      piece.style.flexGrow = count;
      piece.style.background = data.colours[index];
      piece.title = `${data.classes[index]}: ${count.toLocaleString("en-US")} row${count === 1 ? "" : "s"}`;
      bar.append(piece);
    });
    [label, bar, level.rows.toLocaleString("en-US"), level.change].forEach((content, column) => {
      const cell = document.createElement("td");
      if (typeof content === "string") cell.textContent = content; else cell.append(content);
      if (column === 1) cell.className = "wide";
      if (column > 1) cell.className = "number";
      if (column === 3 && level.tone) cell.classList.add(level.tone);
      line.append(cell);
    });
    body.append(line);
  });
  const find = parentElement.querySelector(".find");
  find.hidden = data.levels.length < MANY;
  find.oninput = () => {
    const wanted = find.value.toLowerCase();
    [...body.children].forEach((line, index) => { line.hidden = !data.levels[index].name.toLowerCase().includes(wanted); });
  };
  find.oninput();
  const frame = parentElement.querySelector(".levels"), first = body.querySelector("input:checked");
  if (isNew && first) {  // the levels that are chosen are in sight at first
    const below = first.closest("tr").getBoundingClientRect().bottom - frame.getBoundingClientRect().bottom;
    if (below > 0) frame.scrollTop += below;
  }
}
