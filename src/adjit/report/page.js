"use strict";
// Lines that belong together: those with one place, on both sides.
const lines = [...document.querySelectorAll("li[data-places]")];
const placesOf = (line) => line.dataset.places.split(" ");
for (const line of lines) {
  const mine = new Set(placesOf(line));
  const same = lines.filter((x) => placesOf(x).some((p) => mine.has(p)));
  line.addEventListener("mouseenter", () => same.forEach((x) => x.classList.add("lit")));
  line.addEventListener("mouseleave", () => same.forEach((x) => x.classList.remove("lit")));
}
// The animation: after step n, values and gradients of the first n steps are shown.
const data = document.getElementById("steps");
if (data) {
  const steps = JSON.parse(data.textContent);
  const range = document.getElementById("at");
  const said = document.getElementById("said");
  const play = document.getElementById("play");
  let timer = null;
  function show(n) {
    n = Math.max(0, Math.min(steps.length, n));
    range.value = n;
    document.getElementById("count").value = `${n} of ${steps.length}`;
    document.querySelectorAll(".now").forEach((x) => x.classList.remove("now"));
    const state = new Map();
    steps.forEach((s, k) => {
      if (k >= n) state.set(s.node + s.way, true);
    });
    for (const node of document.querySelectorAll(".node")) {
      const id = node.id.slice(5);
      node.classList.toggle("later", state.has(id + "forward"));
      node.classList.toggle("unsent", state.has(id + "backward"));
    }
    if (n === 0) { said.textContent = "Before the first step."; return; }
    const s = steps[n - 1];
    said.textContent = (s.way === "forward" ? "forwards: " : "backwards: ") + s.text + (s.line ? `   (line ${s.line})` : "");
    document.getElementById("node-" + s.node).classList.add("now");
    for (const edge of document.querySelectorAll(".edge")) {
      const [a, b] = [Number(edge.dataset.from), Number(edge.dataset.to)];
      const on = s.way === "forward" ? b === s.node : a === s.node;
      edge.classList.toggle("now", on);
    }
  }
  function stop() { clearInterval(timer); timer = null; play.textContent = "▶ play"; }
  const now = () => Number(range.value);
  document.getElementById("first").onclick = () => { stop(); show(0); };
  document.getElementById("back").onclick = () => { stop(); show(now() - 1); };
  document.getElementById("next").onclick = () => { stop(); show(now() + 1); };
  document.getElementById("last").onclick = () => { stop(); show(steps.length); };
  range.oninput = () => { stop(); show(now()); };
  play.onclick = () => {
    if (timer) { stop(); return; }
    if (now() === steps.length) show(0);
    play.textContent = "❚❚ pause";
    timer = setInterval(() => { show(now() + 1); if (now() === steps.length) stop(); }, 900);
  };
  show(steps.length);
}
