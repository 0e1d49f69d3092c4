// Overlaps in three views: the figure of patterns, the matrix of rules, the ledger. Text from data goes in as text only.

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// What is far apart stands out from the page, whether that is light or dark.
const LIGHT = [[0, [214, 224, 233]], [0.15, [243, 222, 160]], [0.4, [238, 139, 111]]];
const DARK = [[0, [44, 56, 70]], [0.15, [128, 97, 32]], [0.4, [190, 72, 46]]];

function colour(distance) {
  return `light-dark(${between(LIGHT, distance)}, ${between(DARK, distance)})`;
}

function between(stops, distance) {
  const next = stops.findIndex(([at]) => distance <= at);
  if (next <= 0) return `rgb(${(next === 0 ? stops[0] : stops[stops.length - 1])[1].join(",")})`;
  const [[low, from], [high, to]] = [stops[next - 1], stops[next]];
  const part = (distance - low) / (high - low);
  return `rgb(${from.map((value, index) => Math.round(value + part * (to[index] - value))).join(",")})`;
}

function scale() {
  const line = element("div", "scale");
  line.append(element("span", "", "probabilities of the rules"));
  [[0, "same"], [0.15, "0.15 apart"], [0.4, "0.4 or more"]].forEach(([distance, words]) => {
    const mark = element("i");
    mark.style.background = colour(distance);
    line.append(mark, element("span", "", words));
  });
  return line;
}

function pick(item, choose, className, text) {
  const made = element("button", className, text);
  made.type = "button";
  made.title = item.label || "";
  if (item.label) made.setAttribute("aria-label", item.label);
  made.setAttribute("aria-pressed", String(item.selected));
  made.dataset.rules = item.rules.join(" ");
  made.onclick = () => choose(item.rules);
  return made;
}

function region(label) {
  const frame = element("div", "scroll");
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", label);
  return frame;
}

// Says so above a view that is wider than its place: the bar below it may be off the screen.
function hint(frame) {
  const line = element("div", "hint", "wider than its place: scroll it sideways →");
  line.hidden = true;
  frame.before(line);
  const look = () => { line.hidden = frame.scrollWidth <= frame.clientWidth + 1; };
  new ResizeObserver(look).observe(frame);
  look();
}

// Brings the selected column into sight, beside the names that stay on the left.
function reveal(frame, column) {
  if (!column) return;
  const names = frame.querySelector(".names").offsetWidth;
  const from = column.offsetLeft - frame.firstChild.offsetLeft;
  const least = from + column.offsetWidth - frame.clientWidth;
  frame.scrollLeft = Math.min(Math.max(frame.scrollLeft, least + 4), Math.max(from - names - 4, 0));
}

function drawFigure(root, data, choose) {
  const most = Math.max(...data.columns.map((column) => column.rows));
  const figure = element("div", "figure");
  const names = element("div", "names");
  names.append(element("div", "space", "training rows"));
  data.rules.forEach((rule) => names.append(element("div", "name", rule)));
  if (data.others) names.append(element("div", "name", `${data.others} other rules`));
  figure.append(names);
  data.columns.forEach((column) => {
    const box = pick(column, choose, column.apart ? "column apart" : "column");
    const space = element("div", "space");
    const bar = element("div", "bar");
    bar.style.height = `${(100 * column.rows) / most}%`;
    bar.style.background = colour(column.distance);
    space.append(element("div", "count", column.rows.toLocaleString("en")), bar);
    box.append(space);
    const dots = element("div", "dots");
    const inside = data.rules.map((rule) => column.rules.includes(rule));
    inside.forEach((is) => dots.append(element("div", is ? "dot on" : "dot")));
    const line = element("div", "line");
    line.hidden = !inside.includes(true);
    line.style.top = `calc(${inside.indexOf(true)} * var(--step) + var(--step) / 2)`;
    line.style.height = `calc(${inside.lastIndexOf(true) - inside.indexOf(true)} * var(--step))`;
    dots.append(line);
    box.append(dots);
    if (data.others) box.append(element("div", "others", column.others ? `+${column.others}` : ""));
    figure.append(box);
  });
  const frame = region("Overlaps, the largest first");
  frame.append(figure);
  root.append(frame, scale());
  hint(frame);
}

function drawMatrix(root, data, choose) {
  const table = element("table", data.rules.length > 12 ? "matrix dense" : "matrix");
  const top = element("tr");
  top.append(element("td"));
  data.rules.forEach((rule) => {
    const cell = element("th", "", rule);
    cell.scope = "col";
    top.append(cell);
  });
  table.append(element("thead"), element("tbody"));
  table.firstChild.append(top);
  data.cells.forEach((line, i) => {
    const row = element("tr");
    const name = element("th", "", data.rules[i]);
    name.scope = "row";
    row.append(name);
    line.forEach((item, j) => {
      const cell = element("td");
      if (item.rows) {
        const made = pick(item, choose, "cell", item.rows.toLocaleString("en"));
        made.style.background = colour(item.distance);
        if (j < i) { made.tabIndex = -1; }
        cell.append(made);
      }
      row.append(cell);
    });
    table.lastChild.append(row);
  });
  const frame = region("Rows that two rules share");
  frame.append(table);
  root.append(frame, scale());
  hint(frame);
}

function detailOf(line, data, choose) {
  const row = element("tr", line.selected ? "detail selected" : "detail");
  const cell = element("td");
  cell.colSpan = data.header.length;
  if (data.aboutDetail) cell.title = data.aboutDetail;
  line.detail.forEach((part) => cell.append(element("span", "", part), " "));
  row.append(cell);
  row.onclick = () => choose(line.rules);
  return row;
}

function drawLedger(root, data, choose) {
  const table = element("table", "ledger");
  const top = element("tr");
  data.header.forEach((name) => {
    const cell = element("th", "", name);
    if (data.about && data.about[name]) cell.title = data.about[name];
    cell.scope = "col";
    top.append(cell);
  });
  table.append(element("thead"), element("tbody"));
  table.firstChild.append(top);
  data.lines.forEach((line) => {
    const row = element("tr", line.selected ? "main selected" : "main");
    const name = element("th");
    name.scope = "row";
    name.append(pick(line, choose, "id", line.name));
    row.append(name);
    line.cells.forEach((text) => row.append(element("td", "", text)));
    row.onclick = () => choose(line.rules);
    name.firstChild.onclick = (event) => { event.stopPropagation(); choose(line.rules); };
    table.lastChild.append(row, detailOf(line, data, choose));
  });
  const frame = region("Ledger of overlaps");
  frame.classList.add("tall");
  frame.append(table);
  root.append(frame);
  hint(frame);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".overlaps");
  const active = parentElement.activeElement;
  const focused = active ? active.dataset.rules : undefined;
  const before = root.querySelector(".scroll");
  const [top, left] = before ? [before.scrollTop, before.scrollLeft] : [0, 0];
  root.replaceChildren();
  const choose = (rules) => setTriggerValue("chosen", rules);
  ({ figure: drawFigure, matrix: drawMatrix, ledger: drawLedger })[data.view](root, data, choose);
  const frame = root.querySelector(".scroll");
  frame.scrollTop = top;
  frame.scrollLeft = left;
  reveal(frame, root.querySelector(".column[aria-pressed=true]"));
  if (focused !== undefined) {
    const again = [...root.querySelectorAll("button")].find((button) => button.dataset.rules === focused);
    if (again) again.focus({ preventScroll: true });
  }
}
