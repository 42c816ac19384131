/* The boxes at a plan's steps: one that is taken off takes off what stands on it and brings it back when it is put on
   again, one that is put on brings what it stands on, and the decision bar says what the approval would cover. Without
   it the server says the same. */
(() => {
  "use strict";
  const root = document.documentElement;
  const boxes = () => [...document.querySelectorAll("[data-tick]")];
  const needs = box => box.dataset.needs.split(" ").filter(Boolean);

  const tell = () => {
    const all = boxes();
    const words = document.getElementById("part-words"), count = document.getElementById("part-count");
    if (!all.length || !words || !count) return;
    const on = all.filter(box => box.checked).map(box => box.value);
    const off = all.filter(box => !box.checked).map(box => box.value);
    for (const mark of document.querySelectorAll("[data-needed-by]")) {
      const by = mark.dataset.neededBy.split(" ").filter(one => on.includes(one));
      mark.hidden = !by.length;
      mark.querySelector("[data-list]").textContent = by.join(", ");
    }
    const covered = on.length ? `Approve ${on.length} of ${all.length}: ${on.join(", ")}.` : "No step is selected.";
    words.textContent = off.length ? `${covered} Left out: ${off.join(", ")}.` : "";
    count.textContent = `${on.length} of ${all.length}`;
  };

  document.addEventListener("change", event => {
    const box = event.target;
    if (!box.matches("[data-tick]")) return;
    delete box.dataset.offWith;
    const all = boxes(), isOn = value => all.find(one => one.value === value).checked;
    for (const other of all) {
      const comesBack = other.dataset.offWith === box.value && needs(other).every(isOn);
      if (box.checked && (needs(box).includes(other.value) || comesBack)) {
        other.checked = true;
        delete other.dataset.offWith;
      }
      if (!box.checked && other.checked && needs(other).includes(box.value)) {
        other.checked = false;
        other.dataset.offWith = box.value;
      }
    }
    tell();
  });
  document.addEventListener("htmx:afterSettle", tell);
  tell();

  /* what is said about a plan loads its page again: the boxes go along and come back as they stand */
  document.addEventListener("formdata", event => {
    if (!event.target.matches("[data-talk]") || boxes().every(box => box.checked)) return;
    event.formData.append("ticks", "");
    for (const box of boxes().filter(one => one.checked)) event.formData.append("intents", box.value);
  });

  /* X ticks and E edits the step that has the focus */
  document.addEventListener("keydown", event => {
    if (root.dataset.keys === "off" || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = document.activeElement?.closest(".intent");
    if (!step || !document.activeElement.matches("[data-tick], [data-edit]")) return;
    const target = { x: "[data-tick]", e: "[data-edit]" }[event.key.toLowerCase()];
    const found = target && step.querySelector(target);
    if (!found) return;
    event.preventDefault();
    found.click();
  }, true);
})();
