// Puts what the stream of events tells into the page. Without it the page is complete, and loads itself anew now and then.
"use strict";
(() => {
  const ROWS_MAX = 60; // rows of the latest verdicts that stay
  const TELL_MS = 5000; // pause between two things that a screen reader is told
  const FRESH_MS = 2000; // pause between two times that parts of the page are asked for
  const AGAIN_MS = 5000; // pause after the stream was refused
  const { after, concerns, events } = document.body.dataset;
  if (events === undefined || !window.EventSource) return;

  const link = document.getElementById("link");
  const told = document.getElementById("told");
  const latest = document.getElementById("latest");
  const cells = new Map();
  let reached = after;
  let news = 0;
  let newest = "";
  let telling = 0;
  let freshening = 0;
  let rejections = document.getElementById("now")?.dataset.rejections;

  const collect = () => {
    cells.clear();
    for (const cell of document.querySelectorAll("td[data-cell]")) cells.set(cell.dataset.cell, cell);
  };
  collect();

  // Takes the place of an element; whoever had the focus in it keeps it.
  const replace = (old, fresh) => {
    const links = [...old.querySelectorAll("a, [tabindex]")];
    const at = links.indexOf(document.activeElement);
    const had = at >= 0 || old === document.activeElement;
    old.replaceWith(fresh);
    if (had) (fresh.querySelectorAll("a, [tabindex]")[Math.max(at, 0)] || fresh).focus({ preventScroll: true });
  };

  // Asks for the page and takes over the parts that are marked: what is not in them yet cannot be put there piece by piece.
  const freshen = () => {
    if (freshening) return;
    freshening = setTimeout(async () => {
      let changed = false;
      try {
        const answer = await fetch(location.href, { cache: "no-store" });
        if (answer.ok) {
          const page = new DOMParser().parseFromString(await answer.text(), "text/html");
          for (const old of document.querySelectorAll("[data-fresh]")) {
            const fresh = page.getElementById(old.id);
            if (!fresh || fresh.innerHTML === old.innerHTML) continue;
            replace(old, fresh);
            changed = true;
          }
          collect();
        }
      } catch { /* the stream says when the connection is back */ }
      // Of one's own page only this is told: no verdict comes with it.
      if (changed && after === "") told.textContent = "There is something new on this page.";
      freshening = 0;
    }, FRESH_MS);
  };

  const tell = () => {
    if (telling || !news) return;
    told.textContent = news === 1 ? `New verdict: ${newest}` : `${news} new verdicts; the latest: ${newest}`;
    news = 0;
    telling = setTimeout(() => { telling = 0; tell(); }, TELL_MS);
  };

  const parsed = (html) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content;
  };

  const onVerdict = (event) => {
    reached = event.lastEventId;
    const content = parsed(event.data);
    const row = content.querySelector("tr[id]");
    const cell = content.querySelector("td[data-cell]");
    if (!row || !cell) return;
    const key = cell.dataset.cell;
    const slash = key.lastIndexOf("/");
    const concerned = concerns === "all" || concerns === key.slice(0, slash + 1) || concerns === key.slice(slash);
    if (!concerned) return;
    if (latest) {
      if (document.getElementById(row.id)) return;
      row.classList.add("fresh");
      latest.prepend(row);
      setTimeout(() => row.classList.remove("fresh"), 3000);
      while (latest.rows.length > ROWS_MAX && !latest.lastElementChild.contains(document.activeElement)) {
        latest.lastElementChild.remove();
      }
    }
    const old = cells.get(key);
    if (old) {
      cells.set(key, cell);
      replace(old, cell);
    }
    if (!old || !latest) freshen();
    news += 1;
    newest = [...row.children].slice(1, 5).map((part) => part.textContent).join(", ");
    tell();
  };

  const onNow = (event) => {
    const fresh = parsed(event.data).querySelector("#now");
    const old = document.getElementById("now");
    if (fresh && rejections !== undefined && rejections !== fresh.dataset.rejections) freshen();
    if (fresh) rejections = fresh.dataset.rejections;
    if (fresh && old) replace(old, fresh);
  };

  let source = null;
  let again = 0;
  const listen = () => {
    source = new EventSource(reached === "" ? events : `${events}?after=${encodeURIComponent(reached)}`);
    source.addEventListener("verdict", onVerdict);
    source.addEventListener("now", onNow);
    source.addEventListener("own", freshen);
    source.addEventListener("open", () => { link.textContent = "live"; });
    source.addEventListener("error", () => {
      link.textContent = "connection lost, trying again";
      // The browser tries again by itself, but not after it was refused.
      if (source.readyState === EventSource.CLOSED) {
        again = setTimeout(listen, AGAIN_MS);
      }
    });
  };
  // Put away into the browser's memory, the page keeps no connection; brought back, it goes on where it was.
  addEventListener("pagehide", () => {
    clearTimeout(again);
    source.close();
  });
  addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
  listen();
})();
