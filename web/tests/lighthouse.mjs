// Asks Lighthouse about the main pages of a site, several times each, and prints
// the medians as a table. See the command lighthouse beside this file.
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const site = process.argv[2];
const runs = Number(process.argv[3] || 5);
const park = "/parques/torres-del-paine";
const categories = ["performance", "accessibility", "best-practices", "seo"];
const audits = {
  "first-contentful-paint": "FCP", "largest-contentful-paint": "LCP", "total-blocking-time": "TBT",
  "cumulative-layout-shift": "CLS", "speed-index": "SI", "total-byte-weight": "weight",
};

// read waits until the site has estimates to show.
async function read(path) {
  for (let tries = 0; tries < 120; tries++) {
    const answer = await fetch(site + path).catch(() => null);
    const text = answer && answer.ok ? await answer.text() : "";
    if (text.includes("data-vigente-hasta")) return text;
    await new Promise(next => setTimeout(next, 500));
  }
  throw new Error(`${site}${path} has shown no estimates for a minute`);
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

// measure asks once more when Lighthouse says that its own recording failed.
async function measure(path, port) {
  let lhr;
  for (let tries = 0; tries < 3; tries++) {
    ({ lhr } = await lighthouse(site + path, { port, logLevel: "error", onlyCategories: categories }));
    if (!lhr.runtimeError) return lhr;
  }
  throw new Error(`${path}: ${lhr.runtimeError.message}`);
}

const trail = (await read(park)).match(new RegExp(`href="(${park}/senderos/[^"#?]+)"`));
const paths = ["/", park, ...(trail ? [trail[1]] : []), "/alertas"];
const chrome = await launch({ chromePath: process.env.CHROME_PATH || "/usr/bin/chromium", chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"] });
const failed = new Map();
try {
  console.log(`| page | ${categories.join(" | ")} | ${Object.values(audits).join(" | ")} |`);
  console.log(`|---${"|---".repeat(categories.length + Object.keys(audits).length)}|`);
  for (const path of paths) {
    const results = [];
    for (let run = 0; run < runs; run++) {
      results.push(await measure(path, chrome.port));
    }
    const scores = categories.map(name => Math.round(100 * median(results.map(r => r.categories[name].score))));
    const figures = Object.keys(audits).map(name => {
      const value = median(results.map(r => r.audits[name].numericValue)), unit = results[0].audits[name].numericUnit;
      return unit === "millisecond" ? `${Math.round(value)} ms` : unit === "byte" ? `${(value / 1000).toFixed(1)} kB` : value.toFixed(3);
    });
    console.log(`| ${path} | ${scores.join(" | ")} | ${figures.join(" | ")} |`);
    for (const name of categories) {
      for (const { id, weight } of results[0].categories[name].auditRefs) {
        const audit = results[0].audits[id];
        if (weight > 0 && audit.score !== null && audit.score < (name === "performance" ? 0.9 : 1)) failed.set(`${path} ${id}`, audit.title);
      }
    }
  }
} finally {
  chrome.kill();
}
for (const [where, title] of failed) console.log(`below: ${where}: ${title}`);
