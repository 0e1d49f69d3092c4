// The rules as cards or as a table. All text from data goes in as text, never as markup.

const PINNED = 4;

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// A long name may break after what separates its words, and elsewhere only where that is not enough.
function breakable(place, text) {
  text.split(/(?<=_)/).forEach((part) => place.append(part, document.createElement("wbr")));
  return place;
}

function bar(shares, data, label) {
  const whole = element("div", "bar");
  whole.setAttribute("role", "img");
  whole.setAttribute("aria-label", label);
  shares.forEach((share, index) => {
    if (!(share > 0)) return;
    const piece = element("div");
    piece.style.width = `${100 * share}%`;
    piece.style.background = data.colours[index];
    piece.title = `${data.classes[index]}: ${share.toFixed(2)}`;
    whole.append(piece);
  });
  return whole;
}

function chip(literal, card, choose) {
  const made = element("button", "chip");
  made.type = "button";
  literal.pieces.forEach((piece) => made.append(breakable(element(piece.strong ? "b" : "span"), piece.text)));
  made.title = `Look at this literal of ${card.id}`;
  made.setAttribute("aria-pressed", String(card.selected && literal.selected));
  made.onclick = (event) => { event.stopPropagation(); choose(card.id, literal.feature); };
  return made;
}

function head(card, choose) {
  const line = element("div", "head");
  const name = element("button", "id", card.id);
  name.type = "button";
  name.disabled = card.otherwise;
  name.setAttribute("aria-pressed", String(card.selected));
  name.setAttribute("aria-label", `Select ${card.id}`);
  name.onclick = (event) => { event.stopPropagation(); choose(card.id, ""); };
  line.append(name, element("span", "", card.rows));
  if (card.saved) line.append(element("span", "", " · "), element("b", card.good ? "good" : "bad", card.saved));
  if (card.locked) line.append(element("span", "", " · locked"));
  if (card.warning) line.append(element("span", "", " · "), element("b", "bad", card.warning));
  return line;
}

function region(className, label) {
  const frame = element("div", className);
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", label);
  return frame;
}

function drawCards(root, data, choose) {
  const frame = region("scroll cards", "Rules");
  data.cards.forEach((card) => {
    const box = element("div", card.selected ? "card selected" : "card");
    box.dataset.rule = card.id;
    if (!card.otherwise) box.onclick = () => choose(card.id, "");
    const chips = element("div", "chips");
    card.literals.forEach((literal) => chips.append(chip(literal, card, choose)));
    box.append(head(card, choose));
    if (card.literals.length) box.append(chips);
    if (card.shares.length) box.append(bar(card.shares, data, card.words));
    box.append(element("div", "words", card.words));
    if (card.note) box.append(element("div", "note", card.note));
    frame.append(box);
  });
  frame.onscroll = () => hint(frame);
  root.append(frame);
}

// The last card in sight fades where more cards follow, also where scroll bars are drawn only while they move.
function hint(frame) {
  frame.classList.toggle("more", frame.scrollTop + frame.clientHeight < frame.scrollHeight - 2);
}

function drawTable(root, data, choose) {
  const table = element("table");
  const top = element("tr");
  ["rule", "classes", "rows", "bits saved", ...data.features].forEach((name) => {
    const cell = element("th");
    const words = breakable(element("span"), name);
    words.title = name;
    words.style.minWidth = `${Math.min(10, Math.max(3.2, 0.16 * name.length))}rem`;
    cell.append(words);
    cell.scope = "col";
    if (name === "rows" || name === "bits saved") cell.className = "number";
    top.append(cell);
  });
  table.append(element("thead"));
  table.firstChild.append(top);
  const body = element("tbody");
  data.cards.forEach((card) => {
    const line = element("tr", card.selected ? "selected" : "");
    line.dataset.rule = card.id;
    const first = element("th");
    first.scope = "row";
    const name = element("button", "id", card.id);
    name.type = "button";
    name.disabled = card.otherwise;
    name.onclick = () => choose(card.id, "");
    first.append(name);
    line.append(first);
    const shares = element("td", "shares");
    if (card.shares.length) shares.append(bar(card.shares, data, card.words), element("div", "top", card.top));
    shares.title = card.words;
    line.append(shares, element("td", "number", card.coverage), element("td", `number ${card.good ? "good" : "bad"}`, card.bits));
    data.features.forEach((feature) => {
      const cell = element("td");
      const literal = card.literals.find((part) => part.feature === feature);
      if (literal) {
        const made = element("button", "chip", literal.short);
        made.type = "button";
        made.setAttribute("aria-pressed", String(card.selected && literal.selected));
        made.setAttribute("aria-label", `${card.id}: ${literal.pieces.map((piece) => piece.text).join("")}`);
        made.onclick = () => choose(card.id, feature);
        cell.append(made);
      }
      line.append(cell);
    });
    body.append(line);
  });
  table.append(body);
  const frame = region("scroll table", "Rules by feature");
  frame.append(table);
  root.append(frame);
}

// The columns that say which rule a line is about stay where they are, each where the ones before it end; where they
// would leave little room for the features, only the first does.
function pin(frame) {
  const first = [...frame.querySelectorAll("thead th")].slice(0, PINNED);
  const ends = first.map((cell) => cell.getBoundingClientRect().width).reduce((sums, width) => [...sums, sums.at(-1) + width], [0]);
  const pinned = ends.at(-1) < 0.7 * frame.clientWidth ? PINNED : 1;
  first.forEach((_, column) => frame.style.setProperty(`--pin-${column + 1}`, column < pinned ? `${ends[column]}px` : "auto"));
  frame.style.scrollPaddingLeft = `${ends[pinned]}px`;
  frame.style.scrollPaddingTop = `${frame.querySelector("thead").getBoundingClientRect().height}px`;
}

// What is selected is in sight, also where it was selected on another page; the page itself does not move.
function uncover(frame, chosen) {
  if (!chosen) return;
  const [outer, inner] = [frame.getBoundingClientRect(), chosen.getBoundingClientRect()];
  const ceiling = outer.top + (parseFloat(frame.style.scrollPaddingTop) || 0);
  if (inner.top < ceiling) frame.scrollTop -= ceiling - inner.top;
  else if (inner.bottom > outer.bottom) frame.scrollTop += Math.min(inner.bottom - outer.bottom, inner.top - ceiling);
  const literal = chosen.querySelector("td .chip[aria-pressed=true]");
  if (!literal) return;
  const { left, right } = literal.getBoundingClientRect();
  const room = outer.left + parseFloat(frame.style.scrollPaddingLeft);
  if (left < room) frame.scrollLeft -= room - left + 16;
  else if (right > outer.right) frame.scrollLeft += Math.min(right - outer.right + 16, left - room);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".rules");
  const active = parentElement.activeElement;
  const focused = active && active.closest("[data-rule]") ? active.closest("[data-rule]").dataset.rule : null;
  const before = root.querySelector(".scroll");
  const [top, left] = before ? [before.scrollTop, before.scrollLeft] : [0, 0];
  root.replaceChildren();
  const choose = (rule, feature) => {
    root.querySelectorAll("[data-rule]").forEach((box) => box.classList.toggle("selected", box.dataset.rule === rule));
    setTriggerValue("chosen", { rule, feature });
  };
  (data.view === "table" ? drawTable : drawCards)(root, data, choose);
  const frame = root.querySelector(".scroll"), table = frame.querySelector("table");
  if (table) pin(frame);
  frame.scrollTop = top;
  frame.scrollLeft = left;
  uncover(frame, root.querySelector("[data-rule].selected"));
  if (focused) {
    const again = [...root.querySelectorAll("[data-rule]")].find((box) => box.dataset.rule === focused);
    if (again) again.querySelector("button.id").focus({ preventScroll: true });
  }
  const watch = new ResizeObserver(() => (table ? pin : hint)(frame));
  watch.observe(table || frame);
  return () => watch.disconnect();
}
