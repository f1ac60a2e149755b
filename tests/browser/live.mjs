// Leaves the dashboard open, drops programs, cuts the connection, and navigates with the keyboard alone.
//
// Argument: a JSON file {"host": the dashboard's, "submissions": folder, "log": verdicts.jsonl, "program": a right program for `sum`}.
// Exits with 0 and `done` if everything was as a person expects; otherwise says what was not.

import { strict as assert } from "node:assert";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import { open, overflow, start, violations } from "./common.mjs";

const { host, submissions, log, program } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const PATIENCE = 60_000;
const SPREAD_MS = 1_000; // within which a page that has to is fetched
const STOPS_MAX = 80; // presses of Tab until a link must have been reached

// Between the browser and the dashboard: a connection that can be cut.
class Line {
  sockets = new Set();

  async open(port = 0) {
    const [name, number] = host.split(":");
    this.server = net.createServer((near) => {
      const far = net.connect(Number(number), name);
      for (const [one, other] of [[near, far], [far, near]]) {
        this.sockets.add(one);
        one.pipe(other);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          other.destroy();
          this.sockets.delete(one);
        });
      }
    });
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.port = this.server.address().port;
  }

  async cut() {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

const drop = (student) => {
  mkdirSync(`${submissions}/${student}`, { recursive: true });
  writeFileSync(`${submissions}/${student}/sum.lua`, program);
};

const until = async (what, holds) => {
  const end = Date.now() + PATIENCE;
  while (!(await holds())) {
    assert(Date.now() < end, `waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const line = new Line();
await line.open();
const near = `127.0.0.1:${line.port}`;
const browser = await start();
const { context, page, troubles } = await open(browser, { width: 1000, colorScheme: "light", baseAllowed: near });
const rows = (student) => page.locator("#latest tr", { hasText: student });
const says = (words) => page.waitForFunction((words) => document.getElementById("link").textContent.includes(words), words, { timeout: PATIENCE });

await page.goto(`http://${near}/`);
await page.evaluate(() => { globalThis.sameDocument = true; });
await says("live");

// A file is dropped: its row appears by itself.
drop("alpha");
await rows("alpha").waitFor({ timeout: PATIENCE });

// The connection is cut, a verdict is missed, the connection comes back: nothing is missing and nothing appears twice.
troubles.splice(0).forEach((trouble) => assert.fail(trouble));
await line.cut();
await says("connection lost");
drop("beta");
await until("the verdict of beta", () => existsSync(log) && readFileSync(log, "utf8").includes('"beta"'));
await line.open(line.port);
await rows("beta").waitFor({ timeout: PATIENCE });
await says("live");
// Whoever is on a link stays there, and what was scrolled stays where it was.
const focused = () => page.evaluate(() => `${document.activeElement.closest("tr")?.id} ${document.activeElement.getAttribute("href")}`);
await page.setViewportSize({ width: 1000, height: 300 });
await rows("beta").locator("a").last().focus();
await page.evaluate(() => scrollTo(0, 200));
const place = await focused();
drop("gamma");
await rows("gamma").waitFor({ state: "attached", timeout: PATIENCE });
assert.equal(await focused(), place, "the focus went elsewhere");
assert.equal(await page.evaluate(() => scrollY), 200, "the page was scrolled");
await page.setViewportSize({ width: 1000, height: 900 });
for (const student of ["alpha", "beta", "gamma"]) assert.equal(await rows(student).count(), 1, student);
assert.equal(await page.evaluate(() => globalThis.sameDocument), true, "the page was loaded anew");
// The browser may complain about the cut connection, but about nothing else.
for (const trouble of troubles.splice(0)) assert.match(trouble, /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|Failed to load resource/);

assert.deepEqual(await violations(page, { everyRule: true }), []);
assert.equal(await overflow(page), null);

// The keyboard alone: the focus can be seen at every stop, and leads to the report.
await page.evaluate(() => document.activeElement.blur());
const wanted = await rows("beta").locator("a").last().getAttribute("href");
let stops = 0;
for (;;) {
  await page.keyboard.press("Tab");
  const stop = await page.evaluate(() => {
    const element = document.activeElement;
    const style = getComputedStyle(element);
    return { href: element.getAttribute("href"), name: element.outerHTML.slice(0, 80), seen: style.outlineStyle !== "none" || style.boxShadow !== "none" };
  });
  assert(stop.seen, `the focus cannot be seen on ${stop.name}`);
  if (stop.href === wanted) break;
  stops += 1;
  assert(stops < STOPS_MAX, `Tab does not reach ${wanted}`);
}
// A report's page is there a moment after its verdict.
const report = new URL(wanted, page.url()).href;
await until(wanted, async () => (await page.request.get(report)).ok());
await page.keyboard.press("Enter");
await page.waitForURL((url) => url.pathname !== "/", { timeout: PATIENCE });
await page.getByRole("heading", { level: 1 }).waitFor();
assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /Accepted/);

// Back on the dashboard, it continues where it was.
await page.goBack();
drop("delta");
await rows("delta").waitFor({ timeout: PATIENCE });
troubles.splice(0).forEach((trouble) => assert.fail(trouble));

// A page that could not be fetched while its stream goes on is fetched again.
let tries = 0;
await page.route(`http://${near}/`, (route) => {
  if (route.request().resourceType() !== "fetch") return route.continue();
  tries += 1;
  return tries === 1 ? route.abort() : route.continue();
});
await page.reload();
await until("another try", () => tries > 1);
await context.close();

// Whatever shows nothing of what goes on now is not fetched when only that is another.
const news = "retry: 600000\nevent: now\ndata: now\n\n";
for (const [path, isFetched] of [["/", true], ["/projector", false]]) {
  const { context, page } = await open(browser, { width: 1000, colorScheme: "light", baseAllowed: near });
  let fetched = 0;
  page.on("request", (request) => { fetched += request.resourceType() === "fetch"; });
  await page.route(`http://${near}/events`, (route) => route.fulfill({ contentType: "text/event-stream", body: news }));
  await page.goto(`http://${near}${path}`);
  // The stream has ended, so everything in it was told.
  await page.waitForFunction(() => document.getElementById("link").textContent.includes("connection lost"), null, { timeout: PATIENCE });
  if (isFetched) await until("the page to be fetched", () => fetched > 0);
  else await new Promise((resolve) => setTimeout(resolve, SPREAD_MS));
  assert.equal(fetched > 0, isFetched, path);
  await context.close();
}

// Everything works without scripts as well.
const plain = await browser.newContext({ javaScriptEnabled: false });
const still = await plain.newPage();
await still.goto(`http://${near}/`);
for (const student of ["alpha", "beta", "gamma", "delta"]) {
  assert.equal(await still.locator("#latest tr", { hasText: student }).count(), 1, `${student} without scripts`);
}
await browser.close();
await line.cut();
console.log("done");
