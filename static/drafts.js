/* What somebody types into a longer form is kept in this tab until it has been sent, so that the end of a session, an error
   of the server or a way back loses no work. Forms with a text area are kept, and those that say data-draft; never a
   password, a file, or what the page itself put into hidden fields. A draft belongs to one person: it goes when they log
   out or somebody else logs in, and with the tab. Without this script the page to log in says that nothing was stored. */
(() => {
  "use strict";
  const FORMS = "form[method=post]:has(textarea), form[method=post][data-draft]";
  const PREFIX = "draft:";
  const MOST = 200_000; // characters in one form; a browser gives a place about five million
  const person = document.querySelector("meta[name=person]")?.content;

  const all = () => { try { return Object.keys(sessionStorage).filter(key => key.startsWith(PREFIX)); } catch { return []; } };
  const read = key => { try { return JSON.parse(sessionStorage.getItem(key)); } catch { return null; } };
  const forget = key => { try { sessionStorage.removeItem(key); } catch { /* nothing was kept */ } };
  const keep = (key, draft) => {
    try { sessionStorage.setItem(key, JSON.stringify(draft)); } catch { forget(key); /* no room: none rather than an old one */ }
  };

  /* By where it goes and what it is called there: the composer of the overview and of its own page are one form. */
  const keyOf = form => {
    const way = new URL(form.getAttribute("action") || location.pathname, location.href).pathname;
    return `${PREFIX}${person}:${way}#${form.id || form.querySelector("textarea, input:not([type=hidden])")?.id || ""}`;
  };
  const fields = form => [...form.elements].filter(field => field.name && !field.disabled
    && (field.matches("textarea, select, input:not([type]), input:is([type=text], [type=number], [type=datetime-local], [type=date])")
      || (form.hasAttribute("data-draft") && field.matches("input:is([type=checkbox], [type=radio])"))));
  const isBox = field => field.matches("[type=checkbox], [type=radio]");
  const options = field => [...field.selectedOptions].map(option => option.value);
  const valueOf = field => isBox(field) ? field.checked : field.matches("select") ? options(field) : field.value;
  const offered = field => isBox(field) ? field.defaultChecked
    : field.matches("select") ? [...field.options].filter(option => option.defaultSelected).map(option => option.value) : field.defaultValue;
  const isText = field => !isBox(field) && !field.matches("select");
  const named = form => fields(form).map(field => [field, isBox(field) ? `${field.name}=${field.value}` : field.name]);
  /* The words that the page came with: what was typed over others is not put over these without asking. */
  const ground = form => fields(form).filter(isText).map(offered).join("\n");

  const store = (form, sent) => {
    const typed = fields(form).filter(isText);
    const differs = typed.some(field => field.value !== field.defaultValue);
    const says = sent ? typed.some(field => field.value.trim()) : differs;
    const values = named(form).map(([field, name]) => [name, valueOf(field)]);
    const key = keyOf(form), draft = { ground: ground(form), values, state: sent ? "sent" : "typed" };
    if (says && JSON.stringify(values).length <= MOST) keep(key, draft); else forget(key);
  };

  const changed = field => field.dispatchEvent(new Event("input", { bubbles: true }));
  const fill = (form, draft) => {
    const left = [...draft.values];
    for (const [field, name] of named(form)) {
      const at = left.findIndex(([one]) => one === name);
      if (at < 0) continue;
      const [, value] = left.splice(at, 1)[0];
      if (isBox(field)) field.checked = value;
      else if (field.matches("select")) [...field.options].forEach(option => { option.selected = value.includes(option.value); });
      else field.value = value;
    }
    for (const field of fields(form).filter(one => isText(one) && one.value !== one.defaultValue)) {
      for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      changed(field);
    }
  };

  const SAID = {
    unsent: "You were logged out before you sent this, so it was not stored. What you typed is still here. Send it again.",
    failed: "Something went wrong when you sent this. What you typed is still here. Check whether it was stored before you send it again.",
    typed: "This is what you typed here before. It was not sent.",
    other: "You typed something here before and did not send it. The text of this page has changed since.",
  };
  const bring = form => {
    const key = keyOf(form), draft = read(key), template = document.getElementById("draft-back");
    if (!draft || !template) return;
    /* The browser itself may have put it there already. */
    const same = named(form).every(([field, name]) => !isText(field) || draft.values.some(([one, value]) => one === name && value === field.value));
    if (same) return;
    const notice = template.content.firstElementChild.cloneNode(true);
    const [back, discard] = notice.querySelectorAll("button");
    const mine = draft.state !== "typed" || draft.ground === ground(form);
    notice.querySelector("[data-text]").textContent = SAID[mine ? draft.state : "other"];
    back.hidden = mine;
    back.addEventListener("click", () => { fill(form, draft); notice.remove(); });
    discard.addEventListener("click", () => {
      form.reset();
      fields(form).filter(isText).forEach(changed);
      forget(key);
      notice.remove();
    });
    template.parentElement.append(notice);
    if (mine) fill(form, draft);
  };

  /* Where nobody is logged in stands the page to log in, or one that says what went wrong: what was sent did not arrive. */
  const undelivered = state => all().forEach(key => {
    const draft = read(key);
    if (draft?.state === "sent") keep(key, { ...draft, state });
  });
  const start = () => {
    if (!person) {
      const kept = document.querySelector("[data-kept]");
      undelivered(kept || location.pathname === "/login/" ? "unsent" : "failed");
      if (kept && all().some(key => read(key)?.state === "unsent")) kept.hidden = false;
      return;
    }
    /* A page came, so what was sent before has arrived; unless one went back past an error of the browser's own. */
    const wentBack = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
    if (wentBack) undelivered("failed");
    all().filter(key => !key.startsWith(`${PREFIX}${person}:`) || read(key)?.state === "sent").forEach(forget);
    document.querySelectorAll(FORMS).forEach(bring);
  };

  ["input", "change"].forEach(name => document.addEventListener(name, event => {
    if (person && event.target.form?.matches(FORMS)) store(event.target.form, false);
  }));
  document.addEventListener("submit", event => {
    const form = event.target;
    if (form.getAttribute("action") === "/logout/") all().forEach(forget);
    else if (person && form.matches(FORMS) && !event.defaultPrevented) store(form, true);
  });
  document.addEventListener("htmx:afterRequest", event => {
    const form = event.detail.elt, from = event.detail.xhr?.responseURL;
    if (person && form.matches?.(FORMS) && event.detail.successful && from && new URL(from).pathname !== "/login/") forget(keyOf(form));
  });
  document.addEventListener("DOMContentLoaded", start); /* after HTMX's own: what is put back is looked at like what is typed */
})();
