/* The queue and a group of plans: A takes what is ticked, or the row that one stands on, and a fresh list keeps the
   ticks. Everything works without it. */
(() => {
  "use strict";
  const root = document.documentElement;
  const off = event => root.dataset.keys === "off" || event.repeat || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
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

  /* --- a group: X opens what stands out before it can be ticked, T ticks what is alike, the bar counts ------------- */
  const members = () => [...document.querySelectorAll("input[name=member]")];
  const count = () => {
    const bar = document.querySelector("[data-ticked]");
    if (bar) bar.textContent = `${members().filter(box => box.checked).length} selected`;
  };
  document.addEventListener("keydown", event => {
    if (off(event) || event.key.toLowerCase() !== "x") return;
    document.querySelector("[data-item][aria-current] [data-open-member]")?.click();
  });
  document.addEventListener("click", event => {
    if (!event.target.closest("[data-tick-alike]")) return;
    const alike = members().filter(box => box.dataset.alone === undefined);
    const all = alike.every(box => box.checked);
    alike.forEach(box => { box.checked = !all; });
    count();
  });
  document.addEventListener("change", event => { if (event.target.matches("input[name=member]")) count(); });
  document.querySelectorAll("[data-tick-alike]").forEach(button => { button.hidden = false; });
  count();
  let stood = false;
  document.addEventListener("htmx:beforeSwap", event => { stood = event.detail.target?.matches?.("[data-item][aria-current]") ?? false; });
  document.addEventListener("htmx:afterSettle", event => {
    if (!stood || !event.detail.target?.id?.startsWith("member-")) return;
    const here = document.getElementById(event.detail.target.id);
    here?.setAttribute("aria-current", "true");
    here?.querySelector(".row-title")?.focus({ preventScroll: true });
    here?.scrollIntoView({ block: "nearest" });
    count();
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
