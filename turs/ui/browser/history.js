// The log of edits, the latest first. All text goes in as text, never as markup.

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function lineOf(line, go) {
  const item = element("li", `line ${line.place}`);
  const head = element("div", "head");
  if (line.title) head.append(element("b", "title", line.title));
  if (line.who) head.append(element("span", "who", line.who));
  line.names.forEach((name) => head.append(element("span", "name", name)));
  if (line.place === "now") head.append(element("span", "tag", "you are here"));
  if (line.place === "aside") head.append(element("span", "who", "not in force"));
  const effect = element("div", "effect");
  if (line.bits) effect.append(element("span", line.bitsTone, line.bits));
  if (line.auc) effect.append(element("span", line.aucTone, line.auc));
  if (line.number !== null && line.place !== "now") {
    const button = element("button", "", "Go here");
    button.type = "button";
    button.dataset.number = line.number;
    button.setAttribute("aria-label", `Go here, to ${line.title}: ${line.words}`);
    button.onclick = () => go(line.number);
    effect.append(button);
  }
  const text = element("div", "text");
  text.append(head, element("div", "words", line.words));
  if (line.note) text.append(element("div", "note", line.note));
  item.append(text, effect);
  return item;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".log");
  const list = element("ol");
  list.tabIndex = 0;
  list.setAttribute("aria-label", "History of the edits, the latest first");
  data.lines.forEach((line) => list.append(lineOf(line, (number) => setTriggerValue("chosen", number))));
  root.replaceChildren(list);
}
