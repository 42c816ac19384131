/* The queue and a group of plans: A takes what is ticked, or the row that one stands on, and a fresh list keeps the
   ticks. Everything works without it. */
(() => {
  "use strict";
  const root = document.documentElement;
  const off = event => root.dataset.keys === "off" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
    || event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]");
  const ticks = () => [...document.querySelectorAll("#queue [data-item] input[type=checkbox]")];

  document.addEventListener("keydown", event => {
    if (off(event) || event.key.toLowerCase() !== "a") return;
    const take = document.querySelector("[data-take]");
    if (!take) return;
    event.preventDefault();
    if (!ticks().some(box => box.checked)) {
      const here = document.querySelector("#queue [data-item][aria-current] input[type=checkbox]");
      if (!here) return;
      here.checked = true;
    }
    take.click();
  });

  /* --- a fresh list: what was ticked stays ticked, the count beside the place in the navigation follows ------------ */
  let ticked = new Set();
  document.addEventListener("htmx:beforeSwap", event => {
    if (event.detail.target?.id === "queue") ticked = new Set(ticks().filter(box => box.checked).map(box => box.value));
  });
  document.addEventListener("htmx:afterSwap", () => {
    const queue = document.getElementById("queue");
    if (!queue) return;
    ticks().forEach(box => { if (ticked.has(box.value)) box.checked = true; });
    const waiting = queue.dataset.waiting;
    document.querySelectorAll('.nav a[href="/review/"]').forEach(link => {
      let count = link.querySelector(".count");
      if (!waiting) { count?.remove(); return; }
      if (!count) {
        count = document.createElement("span");
        count.className = "count count-person";
        link.append(count);
      }
      count.replaceChildren(waiting, Object.assign(document.createElement("span"), { className: "vh", textContent: " waiting" }));
    });
  });
})();
