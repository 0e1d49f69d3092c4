// One cut of a literal: the distribution by class with the cut as a line, the scan of every cut under it, and a slider.
// While it moves, the numbers come from the scan that was sent along; when it rests, the application is told.
// All text from data goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
let WIDTH = 640;
const LEFT = 52, RIGHT = 52, TOP = 8, BARS = 100, GAP = 12, CURVES = 84, AXIS = 34;
const REST_MILLISECONDS = 140;
const EDGE = 44; // from the edge of the figure to that of the slider
const FEW_ROWS = 10;

function shape(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  if (text !== undefined) made.textContent = text;
  return made;
}

function signed(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return "±0";
  const grouped = Number(text).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return (value < 0 ? "−" : "+") + grouped;
}

function fixed(value, digits) {
  if (value === null) return "–";
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function extent(values) {
  const known = values.filter((value) => value !== null);
  if (!known.length) return [0, 1];
  const low = Math.min(...known), high = Math.max(...known);
  const pad = (high - low || Math.abs(high) * 0.01 || 1) * 0.08;
  return [low - pad, high + pad];
}

// Round numbers in a range, at most so many: 1, 2 or 5 times a power of ten apart. What is counted has no parts.
function roundTicks([low, high], most, isCount = false) {
  let power = 10 ** Math.floor(Math.log10((high - low) / most));
  if (isCount) power = Math.max(1, power);
  const step = [1, 2, 5, 10, 20].map((factor) => factor * power)
    .find((width) => Math.floor(high / width) - Math.ceil(low / width) < most);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(low / step), n = Math.floor(high / step) - first + 1;
  return Array.from({ length: n }, (_, place) => ({ value: (first + place) * step, label: fixed((first + place) * step, digits) }));
}

function scale(domain, range) {
  return (value) => range[0] + ((value - domain[0]) / (domain[1] - domain[0])) * (range[1] - range[0]);
}

function curve(values, at, y) {
  let path = "", open = false;
  values.forEach((value, index) => {
    if (value === null) { open = false; return; }
    path += `${open ? "L" : "M"}${at(index).toFixed(1)},${y(value).toFixed(1)}`;
    open = true;
  });
  return path;
}

// Beyond the plain colours classes are striped: each has a pattern of its own.
function fillsOf(svg, paints) {
  const definitions = shape("defs", {});
  svg.append(definitions);
  return paints.map(({ colour, stripe, angle }, index) => {
    if (!stripe) return colour;
    const pattern = shape("pattern", { id: `class-${index}`, patternUnits: "userSpaceOnUse", width: 6, height: 6,
      patternTransform: `rotate(${angle})` });
    pattern.append(shape("rect", { width: 6, height: 6, fill: colour }), shape("rect", { width: 6, height: 2, fill: stripe }));
    definitions.append(pattern);
    return `url(#class-${index})`;
  });
}

function drawFigure(svg, data, x) {
  const bottomBars = TOP + BARS, topCurves = bottomBars + GAP, bottom = topCurves + CURVES;
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${bottom + AXIS}`);
  const fills = fillsOf(svg, data.fills);
  svg.append(shape("rect", { class: "covered", y: TOP, height: bottom - TOP, x: 0, width: 0 }));
  const totals = data.bars[0].map((_, bin) => data.bars.reduce((sum, counts) => sum + counts[bin], 0));
  const most = Math.max(1, ...totals);
  const height = scale([0, most], [0, BARS]);
  roundTicks([1, most], 4, true).forEach(({ value, label }) => {
    const y = bottomBars - height(value);
    svg.append(shape("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }));
    svg.append(shape("text", { class: "tick rows", x: LEFT - 6, y: y + 4, "text-anchor": "end" }, label));
  });
  svg.append(shape("text", { class: "tick", x: 12, y: TOP + BARS / 2, "text-anchor": "middle",
    transform: `rotate(-90 12 ${TOP + BARS / 2})` }, "training rows"));
  totals.forEach((_, bin) => {
    let base = bottomBars;
    const left = x(data.edges[bin]), width = Math.max(1, x(data.edges[bin + 1]) - left - 1);
    data.bars.forEach((counts, index) => {
      const tall = height(counts[bin]);
      base -= tall;
      if (!(tall > 0)) return;
      const piece = shape("rect", { x: left, y: base, width, height: tall, fill: fills[index] });
      piece.append(shape("title", {}, `${data.classes[index]}: ${fixed(counts[bin], 0)} row${counts[bin] === 1 ? "" : "s"}`));
      svg.append(piece);
    });
  });
  const bitsExtent = extent(data.bits), aucExtent = extent([...data.auc, ...data.validation]);
  const bits = scale(bitsExtent, [bottom, topCurves]), auc = scale(aucExtent, [bottom, topCurves]);
  svg.append(shape("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: bottom, y2: bottom }));
  const place = (index) => x(data.cuts[index]);
  const known = data.validation.some((value) => value !== null);
  svg.append(shape("path", { class: "auc training", d: curve(data.auc, place, auc) }));
  if (known) svg.append(shape("path", { class: "auc", d: curve(data.validation, place, auc) }));
  svg.append(shape("path", { class: "bits", d: curve(data.bits, place, bits) }));
  roundTicks(bitsExtent, 4).forEach(({ value, label }) => svg.append(
    shape("text", { class: "tick bits", x: LEFT - 6, y: bits(value) + 4, "text-anchor": "end" }, label)));
  roundTicks([aucExtent[0], Math.min(1, aucExtent[1])], 4).forEach(({ value, label }) => svg.append(
    shape("text", { class: "tick auc", x: WIDTH - RIGHT + 6, y: auc(value) + 4 }, label)));
  svg.append(shape("text", { class: "tick", x: 12, y: topCurves + CURVES / 2, "text-anchor": "middle",
    transform: `rotate(-90 12 ${topCurves + CURVES / 2})` }, "bits"));
  svg.append(shape("text", { class: "tick", x: WIDTH - 8, y: topCurves + CURVES / 2, "text-anchor": "middle",
    transform: `rotate(90 ${WIDTH - 8} ${topCurves + CURVES / 2})` }, "AUC"));
  data.ticks.forEach((tick) => svg.append(
    shape("text", { class: "tick", x: x(tick.value), y: bottom + 14, "text-anchor": "middle" }, tick.label)));
  const room = Math.floor((WIDTH - 16) / 5.6) - data.axis.length;
  const name = data.feature.length > room ? `${data.feature.slice(0, Math.max(room - 1, 8))}…` : data.feature;
  svg.append(shape("text", { class: "tick", x: (LEFT + WIDTH - RIGHT) / 2, y: bottom + 29, "text-anchor": "middle" },
    `${name} ${data.axis}`));
  const best = data.best;
  const dot = shape("circle", { class: "best", cx: place(best), cy: bits(data.bits[best]), r: 4.5 });
  dot.append(shape("title", {}, `fewest bits: ${data.labels[best]}`));
  svg.append(dot);
  if (data.kept !== null) {
    const kept = x(data.kept);
    svg.append(shape("line", { class: "kept", x1: kept, x2: kept, y1: TOP, y2: bottom }));
  }
  svg.append(shape("line", { class: "now", x1: 0, x2: 0, y1: TOP, y2: bottom }));
  svg.append(shape("text", { class: "label", x: 0, y: TOP + 9 }, ""));
}

export default function ({ data, parentElement, setTriggerValue }) {
  const svg = parentElement.querySelector("svg");
  const slider = parentElement.querySelector("input");
  const memory = parentElement.memory || (parentElement.memory = { dragging: false, timer: 0 });
  WIDTH = Math.max(320, svg.clientWidth || 640);
  let drawnWidth = WIDTH;
  let x = scale(data.domain, [LEFT, WIDTH - RIGHT]);
  drawFigure(svg, data, x);
  svg.setAttribute("aria-label", data.about);
  slider.setAttribute("aria-label", `${data.feature}: ${data.side === "low" ? "lower" : "upper"} cut`);
  slider.disabled = data.locked;
  slider.min = 0;
  slider.max = 1000;
  const position = scale(data.domain, [0, 1000]);

  const nearest = (value) => {
    let found = 0;
    data.cuts.forEach((cut, index) => {
      if (Math.abs(cut - value) < Math.abs(data.cuts[found] - value)) found = index;
    });
    return found;
  };
  const show = (index) => {
    memory.index = index;
    const cut = data.cuts[index];
    const here = x(cut), line = svg.querySelector(".now"), label = svg.querySelector(".label");
    line.setAttribute("x1", here);
    line.setAttribute("x2", here);
    const room = 9 * data.labels[index].length;
    const late = here + room > WIDTH - RIGHT || (data.kept !== null && data.kept > cut && here - room > LEFT);
    label.setAttribute("x", here + (late ? -5 : 5));
    label.setAttribute("text-anchor", late ? "end" : "start");
    label.textContent = data.labels[index];
    const from = data.side === "low" ? here : data.other === null ? LEFT : x(data.other);
    const to = data.side === "high" ? here : data.other === null ? WIDTH - RIGHT : x(data.other);
    const covered = svg.querySelector(".covered");
    covered.setAttribute("x", Math.min(from, to));
    covered.setAttribute("width", Math.max(0, to - from));
    const along = (place) => `${((100 * (place - EDGE)) / (WIDTH - 2 * EDGE)).toFixed(2)}%`;
    slider.style.setProperty("--from", from > LEFT ? along(from) : "0%");
    slider.style.setProperty("--to", to < WIDTH - RIGHT ? along(to) : "100%");
    slider.setAttribute("aria-valuetext", data.labels[index]);
    const numbers = { cut: `${data.sign} ${data.labels[index]}`, rows: fixed(data.coverage[index], 0) };
    const changes = {};
    [["bits", 1, -1], ["auc", 3, 1], ["validation", 3, 1]].forEach(([name, digits, better]) => {
      const value = data[name][index], before = data.before[name];
      numbers[name] = fixed(value, digits);
      const change = value === null || before === null ? 0 : value - before;
      changes[name] = [signed(change, digits), Math.sign(change) * better];
    });
    Object.entries(numbers).forEach(([name, text]) => {
      parentElement.querySelector(`[data-number="${name}"]`).textContent = text;
    });
    Object.entries(changes).forEach(([name, [text, tone]]) => {
      const place = parentElement.querySelector(`[data-change="${name}"]`);
      place.textContent = text;
      place.className = text === "±0" ? "" : tone > 0 ? "good" : "bad";
    });
  };
  const told = (index) => {
    clearTimeout(memory.timer);
    memory.told = data.cuts[index];
    setTriggerValue("moved", data.cuts[index]);
  };
  slider.oninput = () => {
    memory.dragging = true;
    const index = nearest(data.domain[0] + (slider.value / 1000) * (data.domain[1] - data.domain[0]));
    if (index === memory.index) return;
    show(index);
    clearTimeout(memory.timer);
    memory.timer = setTimeout(() => told(memory.index), REST_MILLISECONDS);
  };
  slider.onchange = () => {
    memory.dragging = false;
    slider.value = position(data.cuts[memory.index]);
    if (memory.told !== data.cuts[memory.index]) told(memory.index);
  };
  slider.onkeydown = (event) => {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10,
      Home: -data.cuts.length, End: data.cuts.length };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(data.cuts.length - 1, memory.index + steps[event.key]));
    if (index === memory.index) return;
    show(index);
    slider.value = position(data.cuts[index]);
    clearTimeout(memory.timer);
    memory.timer = setTimeout(() => told(memory.index), REST_MILLISECONDS);
  };
  const jump = parentElement.querySelector("button");
  const left = data.coverage[data.best];
  const where = `${data.sign} ${data.labels[data.best]}`;
  jump.textContent = left < FEW_ROWS ? `Fewest bits: ${where}, but only ${left} row${left === 1 ? "" : "s"}`
    : `Go to the fewest bits: ${where}, ${fixed(left, 0)} rows`;
  jump.classList.toggle("quiet", left < FEW_ROWS);
  parentElement.querySelector(".numbers").hidden = data.aside;
  jump.disabled = data.locked || data.at === data.best;
  jump.onclick = () => { slider.value = position(data.cuts[data.best]); show(data.best); told(data.best); };
  if (!memory.dragging) {
    memory.told = data.cuts[data.at];
    slider.value = position(data.cuts[data.at]);
    show(data.at);
  } else {
    show(nearest(data.cuts[memory.index] ?? data.cuts[data.at]));
  }
  const watch = new ResizeObserver(() => {
    if (Math.abs(svg.clientWidth - drawnWidth) < 2 || svg.clientWidth < 320) return;
    drawnWidth = svg.clientWidth;
    WIDTH = drawnWidth;
    x = scale(data.domain, [LEFT, WIDTH - RIGHT]);
    drawFigure(svg, data, x);
    show(memory.index);
  });
  watch.observe(svg);
  return () => { clearTimeout(memory.timer); watch.disconnect(); };
}
