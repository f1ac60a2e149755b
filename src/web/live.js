// Fetches the page again when the stream of events tells that something has changed, and puts what
// is another in its place. Without it the page is complete, and loads itself anew now and then.
"use strict";
(() => {
  const PAUSE_MS = 2000; // at least, between two times that the page is fetched
  const SPREAD_MS = 500; // so that not everybody fetches it at the same moment
  const SAY_MS = 5000; // pause between two things that a screen reader says
  const AGAIN_MS = 5000; // pause after the stream was refused
  const NEW_MS = 3000; // how long a new verdict stands out
  const { events } = document.body.dataset;
  if (events === undefined || !window.EventSource) return;

  const main = document.getElementById("main");
  const link = document.getElementById("link");
  const told = document.getElementById("told");
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  // What has the focus or is scrolled is found again by where it leads to, and in what it stands.
  const places = () => [...main.querySelectorAll("a, [tabindex]")];
  const nameOf = (place) => [place.closest("[id]")?.id, place.getAttribute("href"), place.getAttribute("aria-labelledby")].join(" ");
  const found = (name) => places().find((place) => nameOf(place) === name);

  // Puts the parts of the fresh page that are others in the place of those that there are.
  const put = (fresh) => {
    const focused = document.activeElement;
    const name = nameOf(focused);
    const scrolled = places().filter((place) => place.scrollLeft || place.scrollTop);
    const positions = scrolled.map((place) => [nameOf(place), place.scrollLeft, place.scrollTop]);
    const [old, parts] = [[...main.children], [...fresh.children]];
    if (old.length === parts.length) {
      old.forEach((part, at) => part.isEqualNode(parts[at]) || part.replaceWith(parts[at]));
    } else {
      main.replaceChildren(...parts);
    }
    for (const [name, left, top] of positions) found(name)?.scrollTo({ left, top, behavior: "instant" });
    if (!focused.isConnected) (found(name) ?? main).focus({ preventScroll: true });
  };

  let unsaid = 0;
  let words = "";
  let saying = 0;
  const say = () => {
    if (saying || !words) return;
    told.textContent = unsaid > 1 ? `${unsaid} new verdicts; the latest: ${words}` : unsaid ? `New verdict: ${words}` : words;
    [unsaid, words] = [0, ""];
    saying = setTimeout(() => { saying = 0; say(); }, SAY_MS);
  };

  const take = (fresh) => {
    if (!fresh || fresh.isEqualNode(main)) return;
    const news = [...fresh.querySelectorAll("tr[id]")].filter((row) => !document.getElementById(row.id));
    for (const row of news) {
      row.classList.add("fresh");
      setTimeout(() => row.classList.remove("fresh"), NEW_MS);
    }
    unsaid += news.length;
    if (news.length) words = [...news[0].children].slice(1, 5).map((part) => part.textContent).join(", ");
    else if (!document.getElementById("latest")) words = "There is something new on this page.";
    put(fresh);
    say();
  };

  let isDue = false;
  let isBusy = false;
  const freshen = async () => {
    isDue = true;
    if (isBusy) return;
    isBusy = true;
    while (isDue) {
      await pause(Math.random() * SPREAD_MS);
      isDue = false;
      try {
        const answer = await fetch(location.href, { cache: "no-store" });
        if (answer.ok) take(new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main"));
        isDue ||= answer.status === 503;
      } catch {
        // Where the stream was cut as well, it says that something has changed when it is back.
        isDue ||= source.readyState === EventSource.OPEN;
      }
      await pause(PAUSE_MS);
    }
    isBusy = false;
  };

  let source = null;
  let again = 0;
  const listen = () => {
    source = new EventSource(events);
    source.addEventListener("changed", freshen);
    // Only what goes on now is another.
    source.addEventListener("now", () => { if (document.getElementById("now")) freshen(); });
    source.addEventListener("open", () => { link.textContent = "live"; });
    source.addEventListener("error", () => {
      link.textContent = "connection lost, trying again";
      // The browser tries again by itself, but not after it was refused.
      if (source.readyState === EventSource.CLOSED) again = setTimeout(listen, AGAIN_MS);
    });
  };
  // Put away into the browser's memory, the page keeps no connection; brought back, it goes on
  // where it was.
  addEventListener("pagehide", () => {
    clearTimeout(again);
    source.close();
  });
  addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
  listen();
})();
