// Opens pages in every look and says what is wrong with each of them, one JSON line per page.
//
// Argument: a JSON file {"pages": [{"name", "url"}], "host": the only host that may be requested, "token", "shots": folder or null,
// "screen": {"width", "height"} of the one screen on which all of each page has to be seen, or null for every look}.

import { readFileSync } from "node:fs";
import { folder, looks, open, outOfSight, overflow, start, violations } from "./common.mjs";

const { pages, host, token, shots, screen } = JSON.parse(readFileSync(process.argv[2], "utf8"));
if (shots) folder(shots);
const wrong = new Map(pages.map(({ name }) => [name, []]));
const browser = await start();
const screens = screen && looks.filter(({ everyRule }) => everyRule).map((look) => ({ ...look, ...screen }));
for (const look of screens ?? looks) {
  const { context, page, troubles } = await open(browser, { ...look, token, baseAllowed: host });
  const title = `${look.width} ${look.colorScheme}`;
  for (const { name, url } of pages) {
    const tell = (found) => wrong.get(name).push(`${title}: ${found}`);
    const answer = await page.goto(url, { waitUntil: "load" });
    // Nothing can be run in a sandboxed page, not even the checker; such a page is a report, which is checked from disk.
    const isSandboxed = answer?.headers()["content-security-policy"]?.includes("sandbox");
    const sideways = await overflow(page);
    if (sideways) tell(`wider than the screen, ${sideways}`);
    if (screen) {
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      if (height > screen.height) tell(`higher than the screen: ${height}`);
    }
    // On a screen a wide table may be scrolled; on a phone nobody finds out that it can.
    if (look.width < 500) for (const found of await outOfSight(page)) tell(found);
    if (!isSandboxed) for (const violation of await violations(page, look)) tell(violation);
    if (shots) await page.screenshot({ path: `${shots}/${name}-${title.replace(" ", "-")}.png`, fullPage: true });
    if (look.colorScheme === "dark") {
      // Paper is white, whatever the screen is.
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      if (!["rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"].includes(ground)) tell(`in print on ${ground}`);
      if (shots) await page.pdf({ path: `${shots}/${name}.pdf` });
      await page.emulateMedia({ media: "screen", colorScheme: "dark" });
    }
    troubles.splice(0).forEach(tell);
  }
  await context.close();
}
await browser.close();
for (const [name, found] of wrong) console.log(JSON.stringify({ name, wrong: found }));
