/* Speaking about a plan: D, and the link at a step, open the form and choose what it is about. Without it the link loads
   the page with that chosen. */
(() => {
  "use strict";
  const root = document.documentElement;

  const speak = anchor => {
    const box = document.getElementById("say"), about = document.getElementById("say-anchor");
    const words = document.getElementById("say-text");
    if (!box || !about || !words) return false;
    box.open = true;
    if (anchor) about.value = anchor;
    words.focus();
    return true;
  };

  document.addEventListener("click", event => {
    const link = event.target.closest("[data-discuss]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && speak(link.dataset.discuss)) event.preventDefault();
  });

  /* D speaks about the step that has the focus, else about what is chosen already; Escape goes back to the plan */
  document.addEventListener("keydown", event => {
    const box = document.getElementById("say");
    if (event.key === "Escape" && box?.open && box.contains(document.activeElement)) {
      box.open = false;
      box.querySelector("summary").focus();
      return;
    }
    if (root.dataset.keys === "off" || event.ctrlKey || event.metaKey || event.altKey || event.key.toLowerCase() !== "d") return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]")) return;
    const step = document.activeElement?.closest(".intent")?.querySelector("[data-discuss]");
    if (!speak(step?.dataset.discuss)) return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
})();
