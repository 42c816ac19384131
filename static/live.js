/* The live page of a goal. The server renders every line and fragment; this script only puts them in place.

   One source at a time: the socket, or, while it is down, a question by HTTP every two seconds. Both are asked for
   what follows the last number that is here, so nothing is missed and nothing is shown twice. The server gives a sign of
   life every two seconds: a page that hears none for longer says that it is cut off, and begins anew. */
(() => {
  "use strict";
  const KEEP = 2000;            // lines kept in the page; older ones are a click away
  const POLL_MS = 2000;
  const SILENT_MS = 5000;       // two signs of life, and what a busy machine adds
  const BACK_OFF_MS = [500, 1000, 2000, 5000, 10000, 15000];

  /* a link that opens a dialog is an ordinary link without this script */
  document.addEventListener("click", event => {
    if (event.target.closest("a[data-opens]")) event.preventDefault();
  });

  const term = document.getElementById("goal-log");
  if (!term) return;
  const list = term.querySelector(".term-lines");
  const scroller = term.querySelector(".term-scroll");
  const status = term.querySelector("[data-status]");
  const dot = term.querySelector("[data-dot]");
  const followButton = term.querySelector("[data-follow]");
  const source = term.dataset.source;
  const isTail = !("still" in term.dataset);

  const OUT_OF_DATE = document.getElementById("goal-cut").textContent;
  let last = Number(term.dataset.last);
  let follow = isTail;
  let detached = !isTail;       // older lines were loaded until the newest ones no longer fit; Follow brings them back
  let socket = null;
  let silence = 0, again = 0;   // timers
  let heard = false;            // by this socket or an earlier one, since the last refusal
  let tries = 0;
  let polling = 0;
  let ended = false;

  /* --- lines ------------------------------------------------------------------------------------------------- */
  const parse = html => {
    const box = document.createElement("template");
    box.innerHTML = html;
    return [...box.content.querySelectorAll("li[data-n]")];
  };
  const numberOf = line => Number(line.dataset.n);
  const toEnd = () => { scroller.scrollTop = scroller.scrollHeight; };
  const say = (text, look) => {
    if (status.textContent !== text) status.textContent = text; // a repeated word is not read aloud again
    dot.className = `dot ${look}`;
  };
  /* beside the goal's state, which is as old as the connection */
  const note = document.getElementById("goal-cut");
  const cut = text => {
    note.textContent = text;
    note.hidden = !text;
    document.documentElement.toggleAttribute("data-cut", Boolean(text));
  };

  const append = lines => {
    if (!lines.length) return;
    term.querySelector("[data-empty]")?.remove();
    list.append(...lines);
    let tooMany = list.children.length - (follow ? KEEP : 2 * KEEP);
    if (tooMany > 0) {
      const before = scroller.scrollHeight;
      while (tooMany-- > 0) list.firstElementChild.remove();
      if (!follow) scroller.scrollTop -= before - scroller.scrollHeight;
      offerOlder();
    }
    if (follow) toEnd();
  };

  const take = message => {
    if (message.after > last) return false;      // a gap: ask again from what is here
    if (!detached) append(parse(message.lines).filter(line => numberOf(line) > last));
    last = Math.max(last, message.last);
    for (const [id, html] of Object.entries(message.fragments || {})) swap(id, html);
    return true;
  };

  /* --- fragments --------------------------------------------------------------------------------------------- */
  const shown = new Map();
  const late = new Map();       // what is pressed stays until it is let go: a click that ends on another button is none
  const swap = (id, html) => {
    const old = document.getElementById(id);
    late.delete(id);
    if (!old || shown.get(id) === html) return;
    if (old.matches(":active")) { late.set(id, html); return; }
    shown.set(id, html);
    const box = document.createElement("template");
    box.innerHTML = html;
    const fresh = box.content.firstElementChild;
    if (!fresh || old.isEqualNode(fresh)) return;
    // A POST needs the token of this page: fragments that come by the socket have none of their own.
    const token = document.querySelector("meta[name=csrf-token]")?.content;
    fresh.querySelectorAll("form[method=post]").forEach(form => {
      const field = form.querySelector("[name=csrfmiddlewaretoken]") || form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name: "csrfmiddlewaretoken" }));
      field.value = token;
    });
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    const open = new Set([...old.querySelectorAll("details[open]")].map(d => d.textContent.slice(0, 40)));
    const top = old.scrollTop;
    old.replaceWith(fresh);
    htmx.process(fresh); // the state asks again after a while
    fresh.querySelectorAll("details").forEach(d => { if (open.has(d.textContent.slice(0, 40))) d.open = true; });
    fresh.scrollTop = top;
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  };

  const letGo = () => setTimeout(() => new Map(late).forEach((html, id) => swap(id, html)));
  for (const name of ["pointerup", "pointercancel", "keyup"]) document.addEventListener(name, letGo);

  /* --- the socket, and asking instead ------------------------------------------------------------------------- */
  const query = more => {
    const asked = new URLSearchParams(more);
    if (source) asked.set("source", source);
    return asked.toString();
  };

  const connect = () => {
    clearTimeout(again);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}${term.dataset.socket}?${query({ after: last })}`);
    hear(); // the server speaks first, at once
    socket.onmessage = event => {
      hear();
      heard = true;
      tries = 0;
      stopPolling();
      if (!take(JSON.parse(event.data))) { socket.close(); return; }
      cut("");
      say(`live, line ${last}, nothing missed`, "dot-live");
    };
    socket.onclose = event => {
      clearTimeout(silence);
      socket = null;
      // Changing the password gives this browser a new session: the cookie it has now may be let in again, once.
      if (event.code === 4403 && heard) { heard = false; return connect(); }
      if (event.code === 4403) return stop("Your session has ended: you logged out, or your password or account was changed. Reload the page to log in again.");
      if (event.code === 4429) return stop("No longer live: you have too many live pages open, and this was the oldest. Reload the page to continue here.");
      if (event.code === 4404) return stop("You can no longer see this goal.");
      if (event.code === 4409) return catchUpByAsking();
      goOnWithout();
    };
  };
  const hear = () => { clearTimeout(silence); silence = setTimeout(lose, SILENT_MS); };
  /* A socket that says nothing is as good as none. Closing it waits for the other end, so nothing is expected of it. */
  const lose = () => {
    if (ended) return;
    clearTimeout(silence);
    if (socket) {
      socket.onmessage = socket.onclose = null;
      socket.close();
      socket = null;
    }
    cut(OUT_OF_DATE);
    goOnWithout();
  };
  const goOnWithout = () => {
    startPolling();
    clearTimeout(again);
    const wait = BACK_OFF_MS[Math.min(tries++, BACK_OFF_MS.length - 1)];
    again = setTimeout(() => { if (!ended) connect(); }, wait + Math.random() * wait / 2);
  };
  if (isTail) {
    addEventListener("offline", lose);
    addEventListener("online", () => { if (!ended && !socket) { tries = 0; connect(); } });
  }
  /* Far behind: what is missing is asked for page by page, at this browser's own pace, and then the socket goes on.
     Who follows the end needs the end; the lines before it are a scroll away. */
  const catchUpByAsking = async () => {
    say(`catching up from line ${last}`, "dot-clay");
    try {
      if (follow) await showTail();
      else for (let more = true; more;) {
        const answer = await fetch(`${term.dataset.live}?${query({ after: last })}`, { redirect: "error" });
        if (!answer.ok) throw new Error(String(answer.status));
        const message = await answer.json();
        take(message);
        more = message.more;
      }
      connect();
    } catch {
      startPolling();
      again = setTimeout(() => { if (!ended) connect(); }, BACK_OFF_MS.at(-1));
    }
  };
  const stop = text => { ended = true; stopPolling(); cut("no longer live"); say(text, "dot-bad"); };
  const reconnecting = () => say(`reconnecting …, line ${last}`, "dot-clay");

  const startPolling = () => {
    if (polling || ended) return;
    reconnecting();
    polling = setInterval(poll, POLL_MS);
    poll();
  };
  const stopPolling = () => { clearInterval(polling); polling = 0; };
  let asking = false;
  const poll = async () => {
    if (asking) return;
    asking = true;
    try {
      let more = true;
      while (more && polling) {
        const answer = await fetch(`${term.dataset.live}?${query({ after: last })}`, { headers: { Accept: "application/json" }, redirect: "error", signal: AbortSignal.timeout(SILENT_MS) });
        if (answer.status === 404) return stop("You can no longer see this goal.");
        if (!answer.ok) throw new Error(String(answer.status));
        if (!polling) return;                    // the socket came back meanwhile and has sent these lines
        const message = await answer.json();
        take(message);
        more = message.more;
        cut("");
        say(`checking every 2 s, line ${last}`, "dot-clay");
      }
    } catch {
      if (polling) { cut(OUT_OF_DATE); reconnecting(); }
    } finally {
      asking = false;
    }
  };

  /* --- older lines, follow, source ------------------------------------------------------------------------------ */
  const offerOlder = () => {
    if (term.querySelector("[data-older]")) return;
    const box = document.createElement("div");
    box.className = "term-foot";
    box.innerHTML = '<a class="btn btn-s" data-older href="?">Older lines</a>';
    scroller.prepend(box);
  };

  const showOlder = async link => {
    const first = list.firstElementChild;
    if (!first) return;
    link.setAttribute("aria-disabled", "true");
    try {
      const answer = await fetch(`${term.dataset.live}?${query({ before: numberOf(first) })}`, { redirect: "error" });
      if (!answer.ok) throw new Error(String(answer.status));
      const older = await answer.json();
      setFollow(false);
      const height = scroller.scrollHeight;
      list.prepend(...parse(older.lines).filter(line => numberOf(line) < numberOf(first)));
      scroller.scrollTop += scroller.scrollHeight - height;
      if (list.children.length > 2 * KEEP) {
        detached = true;
        while (list.children.length > 2 * KEEP) list.lastElementChild.remove();
      }
      if (!older.older) link.parentElement.remove();
    } catch {
      say("older lines could not be loaded; try again", "dot-bad");
    } finally {
      link.removeAttribute("aria-disabled");
    }
  };

  const showNewer = async link => {
    const end = list.lastElementChild;
    if (!end) return;
    link.setAttribute("aria-disabled", "true");
    try {
      const answer = await fetch(`${term.dataset.live}?${query({ after: numberOf(end), still: "" })}`, { redirect: "error" });
      if (!answer.ok) throw new Error(String(answer.status));
      const newer = await answer.json();
      list.append(...parse(newer.lines).filter(line => numberOf(line) > numberOf(end)));
      const before = scroller.scrollHeight;
      let tooMany = list.children.length - 2 * KEEP;
      if (tooMany > 0) { while (tooMany-- > 0) list.firstElementChild.remove(); scroller.scrollTop -= before - scroller.scrollHeight; offerOlder(); }
      if (!newer.more) link.parentElement.remove();
      say(`lines ${numberOf(list.firstElementChild)} to ${numberOf(list.lastElementChild)}`, "");
    } catch {
      say("newer lines could not be loaded; try again", "dot-bad");
    } finally {
      link.removeAttribute("aria-disabled");
    }
  };

  const setFollow = on => {
    follow = on;
    followButton.setAttribute("aria-pressed", String(on));
  };

  const catchUp = async () => {
    if (!isTail) { location.href = location.pathname + (source ? `?${query({})}` : ""); return; }
    setFollow(true);
    if (detached) await showTail().catch(() => null);
    toEnd();
  };
  const showTail = async () => {
    const answer = await fetch(`${term.dataset.live}?${query({})}`, { redirect: "error" });
    if (!answer.ok) throw new Error(String(answer.status));
    const tail = await answer.json();
    list.replaceChildren(...parse(tail.lines));
    last = Math.max(last, tail.last);
    detached = false;
    if (tail.older) offerOlder();
  };

  followButton.hidden = false;
  setFollow(follow);
  followButton.addEventListener("click", () => { follow ? setFollow(false) : catchUp(); });
  // Scrolling up means reading: following stops. Back at the end it goes on.
  scroller.addEventListener("wheel", event => { if (event.deltaY < 0 && follow) setFollow(false); }, { passive: true });
  scroller.addEventListener("keydown", event => { if (["ArrowUp", "PageUp", "Home"].includes(event.key) && follow) setFollow(false); });
  scroller.addEventListener("scroll", () => {
    const atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 8;
    if (atEnd && !follow && !detached) setFollow(true);
    // Reading on: what follows is fetched by its number before the edge is reached.
    const near = 3 * scroller.clientHeight;
    const newer = term.querySelector("[data-newer]:not([aria-disabled])");
    if (newer && scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < near) showNewer(newer);
    const older = term.querySelector("[data-older]:not([aria-disabled])");
    if (older && !follow && scroller.scrollTop < scroller.clientHeight) showOlder(older);
  }, { passive: true });
  scroller.addEventListener("touchmove", () => { if (follow) setFollow(false); }, { passive: true });
  term.addEventListener("click", event => {
    const link = event.target.closest("[data-older], [data-newer]");
    if (!link) return;
    event.preventDefault();
    if (link.getAttribute("aria-disabled") !== "true") ("newer" in link.dataset ? showNewer : showOlder)(link);
  });
  // Home, End and / while the log has the focus: the begin and the end of the log, not of what is loaded of it.
  scroller.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target !== scroller) return;
    if (event.key === "Home" && term.querySelector("[data-older]")) { event.preventDefault(); location.href = term.querySelector("[data-begin]").href; }
    if (event.key === "End" && !isTail) { event.preventDefault(); catchUp(); }
    if (event.key === "/") { event.preventDefault(); document.getElementById("log-find").focus(); }
  });
  const select = term.querySelector("select[name=source]");
  select?.addEventListener("change", () => select.form.requestSubmit());

  // A fragment that grows takes room from the log: the end stays in sight.
  new ResizeObserver(() => { if (follow) toEnd(); }).observe(scroller);
  if (follow) toEnd();
  const wanted = list.querySelector("[data-wanted]");
  if (wanted) scroller.scrollTop = wanted.offsetTop - scroller.offsetTop - scroller.clientHeight / 3;
  if (isTail) { say(`line ${last}, connecting`, ""); connect(); }
  else setFollow(false);
})();
