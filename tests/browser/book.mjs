// Follows every link of the book from its first page on, without a network, and searches in it.
//
// Argument: a JSON file {"first": the address of the first page, "host": the only host that may be requested, or null}.
// Prints the pages, one JSON line each with its address and what is wrong with it.

import { strict as assert } from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { open, start } from "./common.mjs";

const { first, host } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const base = new URL(".", first).href;
const browser = await start();
const { page, troubles } = await open(browser, { width: 1440, colorScheme: "light", baseAllowed: host });
const isThere = async (url) => (url.startsWith("file:") ? existsSync(fileURLToPath(url)) : (await page.request.get(url)).ok());

// What each page has: the names that links may lead to, and where its own links lead.
const pages = new Map();
const others = new Set();
const queue = [first];
while (queue.length > 0) {
  const url = queue.pop();
  if (pages.has(url) || !(await isThere(url))) continue;
  await page.goto(url);
  const found = await page.evaluate(() => ({
    names: [...document.querySelectorAll("[id]")].map(({ id }) => id),
    links: [...document.querySelectorAll("a[href]")].map(({ href }) => href),
    blank: [...document.images].filter(({ naturalWidth }) => naturalWidth === 0).map(({ src }) => src),
  }));
  pages.set(url, { ...found, troubles: troubles.splice(0) });
  for (const link of found.links) {
    const target = link.split("#")[0];
    if (target.startsWith(base) && target.endsWith(".html")) queue.push(target);
    else others.add(target);
  }
}
for (const [url, { names, links, blank, troubles }] of pages) {
  const wrong = [...troubles, ...blank.map((src) => `no picture: ${src}`)];
  if (names.length !== new Set(names).size) wrong.push("a name is there twice");
  for (const link of links) {
    const [target, name] = link.split("#");
    if (!target.startsWith(base)) {
      // The network is not asked; whatever is on this machine is in the book.
      if (!target.startsWith("https://") && !target.startsWith("http://127.0.0.1:787")) wrong.push(`leads out of the book: ${link}`);
    } else if (pages.has(target)) {
      if (name && !pages.get(target).names.includes(decodeURIComponent(name))) wrong.push(`leads to no heading: ${link}`);
    } else if (!(await isThere(target))) wrong.push(`leads nowhere: ${link}`);
  }
  console.log(JSON.stringify({ name: url.slice(base.length), url, wrong }));
}

// The search finds words of a page, leads there, and marks them; the keyboard is enough.
await page.goto(first);
await page.keyboard.press("/");
await page.locator("#mdbook-searchbar").pressSequentially("counterexample");
await page.locator("#mdbook-searchresults a").first().waitFor();
await page.keyboard.press("Enter");
await page.locator("main mark").first().waitFor();
assert.notEqual(page.url().split("?")[0], first);
assert.deepEqual(troubles, []);
await browser.close();
