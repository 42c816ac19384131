/* Review pages: the queue stays live, the plan page says when somebody else decided, J and K go through the queue.
   Everything works without it. */
(() => {
  "use strict";
  const root = document.documentElement;
  const plan = document.querySelector("[data-plan]");

  /* --- J and K go from plan to plan; lists have keys of their own in look.js ------------------------------------- */
  if (plan) {
    document.addEventListener("keydown", event => {
      if (root.dataset.keys === "off" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest("input, textarea, select, [contenteditable], dialog[open]")) return;
      const where = { j: "next", k: "previous" }[event.key.toLowerCase()];
      if (where) document.querySelector(`[data-go="${where}"]`)?.click();
    });
  }

  /* --- the socket only says that the queue is different; what is shown is asked for and comes from the table ------- */
  const title = document.title.replace(/^\(\d+\+?\) /, "");
  const refreshQueue = async queue => {
    const current = queue.querySelector("[data-item][aria-current]")?.id;
    const focused = document.activeElement?.closest("#queue [data-item]")?.id;
    await htmx.ajax("GET", queue.dataset.queue, { target: "#queue", swap: "outerHTML" });
    /* same place as before: the person may be about to press Enter */
    if (current) document.getElementById(current)?.setAttribute("aria-current", "true");
    if (focused) document.getElementById(focused)?.querySelector("a")?.focus({ preventScroll: true });
    const waiting = document.getElementById("queue")?.dataset.waiting;
    document.title = waiting ? `(${waiting}) ${title}` : title;
  };

  /* Somebody else may have decided, or a new revision may be there: then the buttons go, and the notice says so. */
  const withoutHeld = state => state.replace(/ held-\d+/, "");
  const shown = plan && withoutHeld(plan.dataset.state); /* what the buttons were made for */
  const refreshStanding = async () => {
    const address = `${plan.dataset.standing}?${new URLSearchParams({ state: plan.dataset.state, shown })}`;
    const answer = await fetch(address, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
    if (answer.status !== 200) return;
    const answered = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = answered.getElementById("standing");
    const now = document.getElementById("standing");
    if (!fresh || !now) return;
    now.replaceWith(document.adoptNode(fresh));
    /* the head as well: it must not say any longer that the plan waits, until when, and for whom */
    for (const part of answered.querySelectorAll("[id^=plan-]")) document.getElementById(part.id)?.replaceWith(document.adoptNode(part));
    plan.dataset.state = fresh.dataset.state;
    const bar = document.getElementById("decide");
    if (!bar) return;
    /* while another's decision can still be taken back the bar only hides, with what was typed into it; also when it
       says something else than an approval would mean by now */
    if (fresh.dataset.state.startsWith("awaiting_review")) bar.hidden = fresh.dataset.state !== shown;
    else for (const one of [bar, ...plan.querySelectorAll("[data-tick], [data-edit], .deny")]) one.remove();
  };

  const refresh = () => {
    const queue = document.getElementById("queue");
    const asked = queue && window.htmx ? refreshQueue(queue) : plan ? refreshStanding() : Promise.resolve();
    asked.catch(() => { /* the next hint asks again */ });
  };

  const SHORTEST_MS = 500, LONGEST_MS = 20000, ASK_FOR_LOGIN = 4403, TOO_MANY = 4429;
  let wait = SHORTEST_MS, wasOpen = false, mayAskAgain = true;
  const stop = text => { clearTimeout(silence); document.dispatchEvent(new CustomEvent("mindx:trouble", { detail: text })); };
  /* A line that is cut on its way tells neither end: after two missed signs of life the page says so and asks anew. */
  const SILENT_MS = 5000;
  const note = document.getElementById("review-cut");
  let socket = null, silence = 0, again = 0;
  const connect = () => {
    clearTimeout(again);
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/queue/`);
    socket.onopen = () => {
      wait = SHORTEST_MS;
      note.hidden = true;
      if (wasOpen) refresh(); /* what happened while the line was down */
      wasOpen = true;
    };
    socket.onmessage = event => {
      mayAskAgain = true;
      if (!JSON.parse(event.data).beat) return refresh();
      clearTimeout(silence);
      silence = setTimeout(lose, SILENT_MS);
    };
    socket.onclose = event => {
      /* Changing the password gives this browser a new session: the cookie it has now may be let in again. */
      if (event.code === ASK_FOR_LOGIN && mayAskAgain) { mayAskAgain = false; return connect(); }
      if (event.code === ASK_FOR_LOGIN) return stop("Your session has ended: you logged out, or your password or account was changed. Log in again in another tab, then reload this page.");
      if (event.code === TOO_MANY) return stop("This page is no longer live: you have too many live pages open, and this was the oldest. Reload it to continue here.");
      lose();
    };
  };
  const lose = () => {
    clearTimeout(silence);
    clearTimeout(again);
    if (socket) {
      /* closing it waits for the other end, so nothing is expected of it */
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
      socket = null;
    }
    note.hidden = !wasOpen;
    again = setTimeout(connect, wait);
    wait = Math.min(wait * 2, LONGEST_MS);
  };
  connect();
  addEventListener("offline", () => { if (socket) lose(); });
  addEventListener("online", () => { if (!socket) connect(); });
})();
