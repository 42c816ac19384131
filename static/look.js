/* mindX: the script of every page. Everything works without it; it adds the theme switch, dialogs, copying, single
   keys, and for HTMX the form token and a word when the server does not answer. */
(() => {
  "use strict";
  const root = document.documentElement;
  const store = {
    get: key => { try { return localStorage.getItem(key); } catch { return null; } },
    set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* a private window keeps nothing */ } },
  };
  const theme = store.get("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  if (store.get("keys") === "off") root.dataset.keys = "off";

  /* --- HTMX: every unsafe request carries the token of the page, never the cookie's ------------------------------ */
  document.addEventListener("htmx:configRequest", event => {
    const token = document.querySelector("meta[name=csrf-token]");
    if (token && event.detail.verb !== "get") event.detail.headers["X-CSRFToken"] = token.content;
  });

  /* What HTMX could not do is said where it stays: errors are never toasts. */
  const trouble = text => {
    const template = document.getElementById("trouble");
    if (!template) return;
    const notice = template.content.firstElementChild.cloneNode(true);
    notice.querySelector("[data-text]").textContent = text;
    const place = template.parentElement;
    place.querySelectorAll(":scope > .notice[data-trouble]").forEach(old => old.remove());
    notice.dataset.trouble = "";
    place.append(notice);
  };
  document.addEventListener("mindx:trouble", event => trouble(event.detail)); /* from the other scripts */
  document.addEventListener("htmx:sendError", () => trouble("The server did not answer. Nothing was changed; try again in a moment."));
  document.addEventListener("htmx:timeout", () => trouble("The server took too long to answer. Reload the page to see the current state."));
  document.addEventListener("htmx:responseError", event => {
    const number = event.detail.xhr.getResponseHeader("X-Request-Id");
    trouble(`The server refused this (${event.detail.xhr.status}). Reload the page to see the current state.${number ? ` Request ${number}.` : ""}`);
  });

  /* Who was logged out gets the page to log in as the answer to everything. It is not what was asked for, so what is
     here stays, and so does what was typed. */
  document.addEventListener("htmx:beforeSwap", event => {
    const from = event.detail.xhr.responseURL;
    if (!from || new URL(from).pathname !== "/login/") return;
    event.detail.shouldSwap = false;
    trouble("You are no longer logged in. Log in again in another tab, then continue here.");
  });

  /* What is pressed stays until it is let go: a click that began on a button and ended on its successor is none. The
     page asks again. */
  document.addEventListener("htmx:beforeSwap", event => {
    if (event.detail.requestConfig.elt.matches("[hx-trigger^=every]") && document.body.matches(":active")) event.detail.shouldSwap = false;
  });

  /* --- toasts leave by themselves, unless the pointer or the focus is on them or they still offer something --------- */
  const TOAST_MS = 8000;
  const expire = toast => setTimeout(() => {
    if (toast.matches(":hover, :focus-within")) expire(toast); else toast.remove();
  }, TOAST_MS);
  const watchToasts = () => {
    const place = document.getElementById("toasts");
    if (!place) return;
    const fresh = nodes => nodes.forEach(node => { if (node.nodeType === 1 && !node.hasAttribute("data-keep")) expire(node); });
    fresh([...place.children]);
    new MutationObserver(changes => changes.forEach(change => fresh([...change.addedNodes]))).observe(place, { childList: true });
  };

  /* seconds that are left go down by themselves; what holds is asked of the server when they are over */
  setInterval(() => document.querySelectorAll("[data-countdown]").forEach(left => {
    left.textContent = String(Math.max(0, Number(left.textContent) - 1));
    const over = left.textContent === "0" && left.closest("[data-then]");
    if (over) over.textContent = over.dataset.then;
  }), 1000);

  const ready = () => {
    watchToasts();

    const keysToggle = document.querySelector("[data-keys-toggle]");
    if (keysToggle) {
      keysToggle.checked = root.dataset.keys !== "off";
      keysToggle.addEventListener("change", () => {
        if (keysToggle.checked) delete root.dataset.keys; else root.dataset.keys = "off";
        store.set("keys", keysToggle.checked ? "on" : "off");
      });
    }

    document.addEventListener("click", event => {
      const el = event.target.closest("[data-theme-toggle], [data-opens], [data-closes], [data-dismiss], [data-copy]");
      if (!el) return;
      if (el.matches("[data-theme-toggle]")) {
        const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        root.dataset.theme = dark ? "light" : "dark";
        store.set("theme", root.dataset.theme);
      } else if (el.dataset.opens) { document.getElementById(el.dataset.opens)?.showModal(); }
      else if (el.matches("[data-closes]")) { event.preventDefault(); el.closest("dialog")?.close(); }
      else if (el.dataset.copy !== undefined) { navigator.clipboard?.writeText(el.dataset.copy); }
      else { el.closest(".toast, .notice")?.remove(); }
    });

    /* Once a decision is on its way or the next plan is asked for, a key means what comes and not what still stands
       here: it is dropped. Escape stops the way, and the page can be worked with again. */
    let left = false;
    document.addEventListener("keydown", event => {
      if (event.key === "Escape") left = false;
      else if (left) event.stopImmediatePropagation();
    }, true);
    document.addEventListener("click", event => {
      if (event.target.closest("a[data-go]") && !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.shiftKey) left = true;
    });

    /* a form is sent once; a second click does nothing, the button says what happens */
    document.addEventListener("submit", event => {
      const form = event.target;
      if (!form.matches("form[data-once]")) return;
      if (form.dataset.sent !== undefined) { event.preventDefault(); return; }
      form.dataset.sent = "";
      left = true;
      const button = event.submitter;
      if (button) { button.setAttribute("aria-disabled", "true"); }
    });
    /* back from the browser's memory, the form may be sent again: the server knows a repetition by its key */
    addEventListener("pageshow", event => {
      if (!event.persisted) return;
      left = false;
      document.querySelectorAll("form[data-sent]").forEach(form => {
        delete form.dataset.sent;
        form.querySelectorAll("[aria-disabled]").forEach(button => button.removeAttribute("aria-disabled"));
      });
    });

    /* what is pasted beyond a field's limit is cut off by the browser, which says nothing */
    document.addEventListener("paste", event => {
      const field = event.target.closest?.("textarea[maxlength]");
      const text = event.clipboardData?.getData("text").replaceAll("\r\n", "\n") ?? "";
      if (!field || event.defaultPrevented) return;
      const over = field.value.length - (field.selectionEnd - field.selectionStart) + text.length - field.maxLength;
      if (over > 0) trouble(`This field takes ${field.maxLength} characters. The last ${over} of what you pasted were left out.`);
    });

    /* a filter that is changed is applied; the button stays for those without scripts */
    document.addEventListener("change", event => {
      const form = event.target.closest("form[data-apply]");
      if (form && event.target.matches("select")) form.requestSubmit();
    });

    /* a click on a line number puts that line into the address */
    document.addEventListener("click", event => {
      const line = event.target.closest(".term-lines .ln")?.parentElement;
      if (line?.id) location.hash = line.id;
    });

    /* an open menu closes on Escape and on a click elsewhere */
    const closeMenus = keep => document.querySelectorAll("details.menu[open], details.nav-more[open]").forEach(menu => { if (menu !== keep) menu.open = false; });
    document.addEventListener("click", event => closeMenus(event.target.closest("details.menu, details.nav-more")));

    /* J K move, X ticks, / searches; letters press the button or fill the field that carries data-key */
    const move = step => {
      const items = [...document.querySelectorAll("[data-item]")];
      if (!items.length) return;
      const at = items.findIndex(item => item.hasAttribute("aria-current"));
      const next = Math.max(0, Math.min(items.length - 1, at + step));
      items.forEach((item, n) => { if (n === next) item.setAttribute("aria-current", "true"); else item.removeAttribute("aria-current"); });
      (items[next].querySelector(".row-title") ?? items[next].querySelector("a, input"))?.focus({ preventScroll: true });
      items[next].scrollIntoView({ block: "nearest" });
    };
    const press = target => {
      if (target.matches("input, textarea, select")) { target.focus(); return; }
      /* what is dangerous takes a second press: the first may have been meant for the page before */
      const warning = target.dataset.warnedBy && document.getElementById(target.dataset.warnedBy);
      if (warning && warning.dataset.warns !== undefined && warning.dataset.warned === undefined) {
        warning.dataset.warned = "";
        warning.scrollIntoView({ block: "nearest" });
        trouble(`${warning.textContent.trim()}. Press the key again to approve.`);
        return;
      }
      target.click();
      if (target.matches("summary")) target.parentElement.querySelector("textarea, input")?.focus();
    };
    /* Ctrl or ⌘ with Enter sends the text one is writing, by the button that stands with it */
    const send = text => {
      const around = text.closest(".menu-panel") ?? text.form;
      const after = [...around?.querySelectorAll("button:not([type=button])") ?? []].filter(one => one.form === text.form && text.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
      const button = after.find(one => one.matches(".btn-primary, .btn-danger-solid")) ?? after[0];
      if (button && !button.disabled) text.form.requestSubmit(button);
    };
    document.addEventListener("keydown", event => {
      if (event.key === "Escape") {
        /* what had the focus is hidden with its menu: without this the keyboard would begin the page anew */
        document.activeElement?.closest("details.menu[open], details.nav-more[open]")?.querySelector("summary").focus();
        closeMenus(null);
        return;
      }
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("textarea")) {
        if (!event.repeat && !event.defaultPrevented && !event.isComposing) send(event.target);
        return;
      }
      if (root.dataset.keys === "off" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]")) return;
      const key = event.key.toLowerCase();
      if (key === "j") move(1);
      else if (key === "k") move(-1);
      else if (event.repeat) return; /* a key held too long decides nothing on the page that comes */
      else if (key === "x") document.querySelector("[data-item][aria-current] input[type=checkbox]")?.click();
      else if (key === "?") document.getElementById("keys")?.showModal();
      else {
        /* of two that have the key the one that is shown is meant; the one of a dialog need not be open */
        const keyed = [...document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)];
        const target = key === "/" ? document.querySelector("main input[type=search]") : keyed.find(one => one.checkVisibility()) ?? keyed.find(one => one.closest("dialog"));
        if (!target) return;
        event.preventDefault();
        press(target);
      }
    });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", ready); else ready();
})();
