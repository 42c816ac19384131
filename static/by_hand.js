/* Completion while a plan is written by hand: a combobox after the ARIA pattern (1.2, list autocomplete).
   Without it the phrases stand beside the form and "Add" posts it. */
(() => {
  "use strict";
  const form = document.getElementById("hand-form");
  const input = document.getElementById("hand-add");
  const steps = document.getElementById("hand-steps");
  if (!form || !input || !steps) return;

  const list = document.createElement("ul");
  list.className = "menu-panel plainlist";
  list.id = "hand-suggestions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Phrases");
  list.hidden = true;
  input.after(list);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id })) input.setAttribute(name, value);

  let at = -1;
  let asked = 0;
  const options = () => [...list.children];
  const close = () => { list.hidden = true; at = -1; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
  const mark = index => {
    at = index;
    options().forEach((option, n) => option.setAttribute("aria-selected", String(n === at)));
    if (at >= 0) { input.setAttribute("aria-activedescendant", options()[at].id); options()[at].scrollIntoView({ block: "nearest" }); }
    else input.removeAttribute("aria-activedescendant");
  };

  /* the chosen phrase, with its first open slot selected so that typing fills it */
  const choose = option => {
    input.value = option.dataset.text;
    close();
    input.focus();
    nextSlot(0);
  };
  const nextSlot = from => {
    const slot = /\{[^{}]*\}/g;
    slot.lastIndex = from;
    const found = slot.exec(input.value);
    if (!found) return false;
    input.setSelectionRange(found.index, found.index + found[0].length);
    return true;
  };

  const suggest = async () => {
    const mine = ++asked;
    const answer = await fetch(`${form.dataset.phrases}?${new URLSearchParams({ q: input.value })}`).catch(() => null);
    if (!answer?.ok || mine !== asked) return;
    const { items } = await answer.json();
    const marked = options()[at]?.dataset.text;   // what the arrows stand on stays so when the list comes anew
    list.replaceChildren(...items.map((item, n) => {
      const option = document.createElement("li");
      option.id = `hand-suggestion-${n}`;
      option.dataset.text = item.text;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      const code = document.createElement("code");
      code.textContent = item.text;
      const about = document.createElement("div");
      about.className = "small faint";
      about.textContent = item.summary;
      option.append(code, about);
      return option;
    }));
    mark(items.findIndex(item => item.text === marked));
    const open = items.length > 0 && document.activeElement === input;
    list.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
  };

  let pause = 0;
  input.addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(suggest, 120); });
  input.addEventListener("focus", () => { if (!input.value) suggest(); });
  input.addEventListener("blur", () => setTimeout(close, 150));
  list.addEventListener("mousedown", event => {
    const option = event.target.closest("[role=option]");
    if (option) { event.preventDefault(); choose(option); }
  });
  input.addEventListener("keydown", event => {
    const count = options().length;
    if (event.key === "ArrowDown" && list.hidden) { suggest(); event.preventDefault(); }
    else if (event.key === "ArrowDown" && count) { mark((at + 1) % count); event.preventDefault(); }
    else if (event.key === "ArrowUp" && count && !list.hidden) { mark((at - 1 + count) % count); event.preventDefault(); }
    else if (event.key === "Escape" && !list.hidden) { close(); event.stopPropagation(); }
    else if (event.key === "Tab" && !event.shiftKey && nextSlot(input.selectionEnd)) event.preventDefault();
    else if (event.key === "Enter") { event.preventDefault(); if (!list.hidden && at >= 0) choose(options()[at]); else add(); }
  });

  /* the line goes into the text, which stays the one truth; HTMX then checks it */
  const add = () => {
    const line = input.value.trim();
    if (!line) return;
    steps.value = `${steps.value.trimEnd()}\n${line}`.replace(/^\n/, "");
    input.value = "";
    close();
    steps.dispatchEvent(new Event("input", { bubbles: true }));
  };
  form.querySelector("button[value=add]")?.addEventListener("click", event => { event.preventDefault(); add(); input.focus(); });
})();
