/* The prompt of a session and of Mastermind: the arrows bring back what was typed before, and Tab completes where words are
   offered. Everything else is an ordinary form. */
(() => {
  "use strict";
  let at = -1;                  // which earlier line stands in the field; -1: none, what stands there was typed

  document.addEventListener("keydown", event => {
    const field = event.target;
    if (field.id !== "typed-text" || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key === "Tab") complete(event, field);
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    const earlier = [...document.querySelectorAll("#typed-earlier li")].map(line => line.textContent);
    if (at >= 0 && field.value !== earlier[at]) at = -1;
    // A line that was refused stands in the field again: the arrows go on from there.
    if (at < 0 && field.value && field.value === earlier[0]) at = 0;
    // In words of one's own the arrows belong to the list of commands that the browser offers.
    if (at < 0 && field.value) return;
    event.preventDefault();
    at = Math.max(-1, Math.min(at + (event.key === "ArrowUp" ? 1 : -1), earlier.length - 1));
    field.value = at < 0 ? "" : earlier[at];
    field.setSelectionRange(field.value.length, field.value.length);
  });
  document.addEventListener("submit", () => { at = -1; });

  // As far as all the offered words agree. Where that adds nothing Tab goes on to the next field: nobody is caught here.
  function complete(event, field) {
    const typed = field.value.toLowerCase();
    const words = [...(field.list?.options ?? [])].map(each => each.value).filter(each => each.toLowerCase().startsWith(typed));
    if (!typed || !words.length) return;
    let whole = words[0];
    for (const each of words) while (!each.startsWith(whole)) whole = whole.slice(0, -1);
    if (whole.length <= typed.length) return;
    event.preventDefault();
    field.value = whole;
  }
})();
