/* The prompt of a session: the arrows bring back what was typed before. Everything else is an ordinary form. */
(() => {
  "use strict";
  let at = -1;                  // which earlier line stands in the field; -1: none, what stands there was typed

  document.addEventListener("keydown", event => {
    const field = event.target;
    if (field.id !== "typed-text" || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    const earlier = [...document.querySelectorAll("#typed-earlier li")].map(line => line.textContent);
    if (at >= 0 && field.value !== earlier[at]) at = -1;
    // In words of one's own the arrows belong to the list of commands that the browser offers.
    if (at < 0 && field.value) return;
    event.preventDefault();
    at = Math.max(-1, Math.min(at + (event.key === "ArrowUp" ? 1 : -1), earlier.length - 1));
    field.value = at < 0 ? "" : earlier[at];
    field.setSelectionRange(field.value.length, field.value.length);
  });
  document.addEventListener("submit", () => { at = -1; });
})();
