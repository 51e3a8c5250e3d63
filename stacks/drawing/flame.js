// SPDX-License-Identifier: GPL-2.0-or-later
// Draws the call tree in #data into #graph. Names come from programs that
// anyone may have written: they reach the page as text nodes only.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const graph = document.getElementById("graph");
const line = document.getElementById("frame");
const find = document.getElementById("find");
const found = document.getElementById("found");
const out = document.getElementById("out");
const SVG = "http://www.w3.org/2000/svg";
const ROW = 18, LETTER = 7.3, NARROWEST = 0.4;

// Rows are [depth, name, before, after], a caller before its callees.
const calls = data.calls.map(([depth, name, before, after]) => ({
  depth, name: data.names[name], layer: data.layers[data.layerOf[name]],
  value: { before, after }, parent: null, inside: [],
}));
const path = [];
for (const call of calls) {
  path.length = call.depth;
  if (call.depth) {
    call.parent = path[call.depth - 1];
    call.parent.inside.push(call);
  }
  path.push(call);
}
const root = calls[0];
const share = (call, side) =>
  root.value[side] ? call.value[side] / root.value[side] : 0;
const change = (call) => share(call, "after") - share(call, "before");
const deepest = Math.max(...data.calls.map((row) => row[0]), 1);
const largest = Math.max(...data.calls.length < 1e5
  ? calls.slice(1).map((call) => Math.abs(change(call))) : [1], 1e-9);

const state = { side: "after", colour: data.differential ? "change" : "layer",
  zoom: root, chosen: null, pattern: null };

const percent = (x) => (100 * x).toFixed(2) + " %";
const points = (x) => (x < 0 ? "−" : "+") + (100 * Math.abs(x)).toFixed(2) + " points";

function mix(from, to, amount) {
  return "rgb(" + from.map((c, i) => Math.round(c + (to[i] - c) * amount)) + ")";
}

// Blue for less, orange for more: told apart by every kind of colour vision.
function changeColour(call) {
  const amount = Math.sqrt(Math.min(1, Math.abs(change(call)) / largest));
  return mix([243, 243, 243], change(call) < 0 ? [98, 168, 229] : [245, 155, 66], amount);
}

function nameColour(name) {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) % 9973;
  return "hsl(" + (25 + hash % 35) + " 85% " + (66 + hash % 16) + "%)";
}

function colour(call) {
  if (call === root) return "#e6e6e6";
  if (state.colour === "change") return changeColour(call);
  return call.layer ? call.layer.colour : nameColour(call.name);
}

function label(call) {
  if (!data.differential || call === root) return call.name;
  const delta = change(call);
  if (Math.abs(delta) < 0.0005) return call.name;
  return call.name + " " + (delta < 0 ? "−" : "+") + (100 * Math.abs(delta)).toFixed(1);
}

function describe(call) {
  const value = call.value[state.side];
  let text = call.name + (call.layer ? " · " + call.layer.title : "") + "\n";
  if (data.differential) {
    text += data.before + " " + percent(share(call, "before")) + ", " +
      data.after + " " + percent(share(call, "after")) + ", " + points(change(call));
  } else {
    text += value.toLocaleString("en") + " " + data.unit + ", " +
      percent(share(call, "after")) + " of all";
    if (state.zoom !== root && state.zoom.value[state.side]) {
      text += ", " + percent(value / state.zoom.value[state.side]) + " of " + state.zoom.name;
    }
  }
  return text;
}

function element(kind, attributes, parent) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.append(made);
  return made;
}

// Places the zoomed call over the whole width, its callers beneath it, its
// callees above, leaving out what is too narrow to see.
function places(width) {
  const placed = [];
  for (let up = state.zoom.parent; up; up = up.parent) placed.push([up, 0, width, true]);
  const whole = state.zoom.value[state.side];
  const waiting = whole ? [[state.zoom, 0]] : [];
  while (waiting.length) {
    const [call, x] = waiting.pop();
    placed.push([call, x, width * call.value[state.side] / whole, false]);
    let at = x;
    for (const callee of call.inside) {
      const wide = width * callee.value[state.side] / whole;
      if (wide >= NARROWEST) waiting.push([callee, at]);
      at += wide;
    }
  }
  return placed;
}

function draw() {
  const width = graph.clientWidth || 1200;
  const height = (deepest + 1) * ROW + 2;
  graph.setAttribute("viewBox", "0 0 " + width + " " + height);
  graph.setAttribute("height", height);
  const group = document.createElementNS(SVG, "g");
  for (const [call, x, wide, ancestor] of places(width)) {
    const y = height - 1 - (call.depth + 1) * ROW;
    const box = element("rect", { x, y, width: wide, height: ROW - 1, rx: 1, fill: colour(call) }, group);
    box.call = call;
    call.box = box;
    if (ancestor) box.classList.add("ancestor");
    if (state.pattern && state.pattern.test(call.name)) box.classList.add("found");
    if (call === state.chosen) box.classList.add("chosen");
    const letters = Math.floor((wide - 6) / LETTER);
    if (letters >= 3) {
      const text = label(call);
      element("text", { x: x + 3, y: y + 13 }, group).textContent =
        text.length <= letters ? text : text.slice(0, letters - 1) + "…";
    }
  }
  graph.replaceChildren(group);
  out.disabled = state.zoom === root;
  count();
}

// Samples whose stack holds a match, each counted once.
function count() {
  if (!state.pattern) { found.textContent = ""; return; }
  const sum = { before: 0, after: 0 };
  let functions = new Set(), skip = Infinity;
  for (const call of calls) {
    if (call !== root && state.pattern.test(call.name)) functions.add(call.name);
    if (call.depth > skip) continue;
    skip = Infinity;
    if (call !== root && state.pattern.test(call.name)) {
      sum.before += call.value.before;
      sum.after += call.value.after;
      skip = call.depth;
    }
  }
  const part = (side) => percent(root.value[side] ? sum[side] / root.value[side] : 0);
  found.textContent = functions.size + (functions.size === 1 ? " function: " : " functions: ") +
    (data.differential ? data.before + " " + part("before") + ", " + data.after + " " : "") +
    part("after");
}

function choose(call) {
  state.chosen = call;
  line.textContent = call ? describe(call) : "";
  draw();
}

function zoom(call) {
  state.zoom = call;
  choose(call === root ? null : call);
}

graph.addEventListener("click", (event) => event.target.call && zoom(event.target.call));
graph.addEventListener("mousemove", (event) => {
  line.textContent = event.target.call ? describe(event.target.call)
    : state.chosen ? describe(state.chosen) : "";
});
graph.addEventListener("keydown", (event) => {
  const now = state.chosen || state.zoom;
  const beside = now.parent ? now.parent.inside : [now];
  const widest = [...now.inside].sort((a, b) => b.value[state.side] - a.value[state.side])[0];
  const step = {
    ArrowUp: widest, ArrowDown: now.parent,
    ArrowLeft: beside[beside.indexOf(now) - 1], ArrowRight: beside[beside.indexOf(now) + 1],
  };
  if (event.key in step) {
    if (step[event.key]) choose(step[event.key]);
  } else if (event.key === "Enter") zoom(now);
  else if (event.key === "Escape") zoom(root);
  else return;
  event.preventDefault();
});
out.addEventListener("click", () => zoom(root));
function search() {
  try {
    state.pattern = find.value ? new RegExp(find.value, "i") : null;
    find.removeAttribute("aria-invalid");
  } catch {
    find.setAttribute("aria-invalid", "true");
  }
  draw();
}
find.addEventListener("input", search);
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
for (const choice of document.querySelectorAll("input[type=radio]")) {
  choice.addEventListener("change", () => {
    state[choice.name] = choice.value;
    for (const entry of document.querySelectorAll("#key li")) {
      entry.hidden = entry.dataset.colour !== state.colour;
    }
    draw();
  });
}
new ResizeObserver(() => requestAnimationFrame(draw)).observe(graph);
search();
