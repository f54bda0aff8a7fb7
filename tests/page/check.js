// SPDX-License-Identifier: GPL-2.0-or-later
//
// Opens pages in Chromium at three widths and in both colour schemes, and uses one of them as people
// do: by mouse, finger and keys.  tests/page/run hands over the task as JSON on standard input.
//
// A view fails by an error on the console, a request to anywhere, text wider than the window, a chart
// without a point, or a violation that axe finds.  Prints a line for each failure, then the totals; exit status 1 if any.
'use strict';

const fs = require('fs');
const path = require('path');

const task = JSON.parse(fs.readFileSync(0, 'utf8'));
const puppeteer = require(path.join(task.modules, 'puppeteer-core'));
const live = require('./live.js');
const axe = fs.readFileSync(path.join(task.modules, 'axe-core', 'axe.min.js'), 'utf8');

const WIDTHS = [360, 420, 768, 1280];
const SCHEMES = ['light', 'dark'];
const PLOT = '#cost .sb-plot';
const failures = [];
let checks = 0;

function expect(what, holds, found) {
  checks += 1;
  if (!holds) {
    failures.push(what + (found === undefined ? '' : ': ' + JSON.stringify(found)));
  }
}

// ---- views --------------------------------------------------------------------

// A tab that writes down what goes wrong in it.
async function open(browser, page, width, scheme) {
  const tab = await browser.newPage();
  const wrong = [];
  tab.on('console', (m) => ['error', 'warn'].includes(m.type()) && wrong.push(m.text()));
  tab.on('pageerror', (e) => wrong.push(e.message));
  tab.on('request', (r) => !allowed(r.url(), page.url) && wrong.push('request for ' + r.url()));
  await tab.setViewport({width, height: 800, hasTouch: width < 500});
  await tab.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
  await tab.goto(page.url, {waitUntil: 'load'});
  return {tab, wrong};
}

function allowed(url, own) {
  return url === own || url.startsWith('data:') || new URL(url).origin === new URL(own).origin && !own.startsWith('file:');
}

async function view(browser, page, width, scheme) {
  const name = page.name + ' ' + width + ' ' + scheme;
  const {tab, wrong} = await open(browser, page, width, scheme);
  await narrow(tab, name);
  await filled(tab, name);
  if (task.screenshots) {
    await screenshots(tab, name.replace(/ /g, '-'), width);
  }
  await tab.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
  await narrow(tab, name + ', all open');
  for (const found of await violations(tab)) {
    expect(name + ': axe', false, found);
  }
  expect(name + ': console', !wrong.length, wrong);
  await tab.close();
}

async function narrow(tab, name) {
  const wider = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(name + ': wider than the window', wider <= 0, wider);
}

// A chart that is seen has something in it.
async function filled(tab, name) {
  const empty = await tab.evaluate(() => [...document.querySelectorAll('canvas')]
    .filter((c) => c.offsetHeight && window.Chart && window.Chart.getChart(c))
    .filter((c) => !window.Chart.getChart(c).data.datasets.some((d) => d.data.length))
    .map((c) => c.parentNode.getAttribute('aria-label')));
  expect(name + ': empty charts', !empty.length, empty);
}

// The page's policy forbids scripts from outside, so axe comes by the debugger.
async function violations(tab) {
  await tab.evaluate(axe);
  const found = await tab.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
  checks += found.passes.length;
  return found.violations.map((v) => v.id + ' (' + v.help + ') at ' +
    v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(', '));
}

async function screenshots(tab, name, width) {
  const height = await tab.evaluate(() => document.documentElement.scrollHeight);
  const step = 1400;
  for (let y = 0; y < height; y += step) {
    const file = path.join(task.screenshots, name + '-' + String(y / step + 1).padStart(2, '0') + '.png');
    const clip = {x: 0, y, width, height: Math.min(step, height - y)};
    await tab.screenshot({path: file, clip, captureBeyondViewport: true});
  }
}

// ---- use ----------------------------------------------------------------------

async function use(browser, page) {
  for (const check of [hover, keys, tap, legend, choose, folded, scheme, table, updated, withoutScripts]) {
    const {tab, wrong} = await open(browser, page, check === tap ? 360 : 1280, 'light');
    await check(tab, page);
    expect(check.name + ': console', !wrong.length, wrong);
    await tab.close();
  }
}

// Where the point of a series is in the window; its value as the table would print it.
async function pointAt(tab, series, index) {
  await (await tab.$(PLOT)).scrollIntoView();
  return tab.evaluate((plot, k, i) => {
    const canvas = document.querySelector(plot + ' canvas');
    const chart = window.Chart.getChart(canvas);
    const at = chart.getDatasetMeta(k).data[i];
    const box = canvas.getBoundingClientRect();
    return {x: box.left + at.x, y: box.top + at.y, value: chart.data.datasets[k].data[i].y};
  }, PLOT, series, index);
}

function tip(tab) {
  return tab.$eval(PLOT + ' .sb-tip', (e) => (e.hidden ? '' : e.innerText));
}

function shown(value) {
  return value.toLocaleString('en-US', {minimumFractionDigits: 1, maximumFractionDigits: 1});
}

async function hover(tab) {
  const at = await pointAt(tab, 0, 4);
  await tab.mouse.move(at.x, at.y);
  const text = await tip(tab);
  expect('hover: the tip has the number', text.includes(shown(at.value) + ' µs'), text);
  expect('hover: the tip has the flag', text.includes('none of 3 sustained'), text);
  await tab.mouse.move(1, 1);
  expect('hover: the tip goes', await tip(tab) === '');
}

async function keys(tab) {
  await tab.focus(PLOT);
  await tab.keyboard.press('ArrowRight');
  const first = await tip(tab);
  expect('keys: the first point', /one-thread-per-connection\nConnections: 1\n/.test(first), first);
  await tab.keyboard.press('ArrowRight');
  expect('keys: the next point', /Connections: 16\n/.test(await tip(tab)), await tip(tab));
  await tab.keyboard.press('ArrowDown');
  expect('keys: the other arm', /^pool-of-threads\nConnections: 16\n/.test(await tip(tab)), await tip(tab));
  await tab.keyboard.press('End');
  expect('keys: the last point', /Connections: 2,048\n/.test(await tip(tab)), await tip(tab));
  const live = await tab.$eval(PLOT + ' .sb-tip', (e) => e.getAttribute('role'));
  expect('keys: a screen reader hears it', live === 'status', live);
}

async function tap(tab, page) {
  const at = await pointAt(tab, 0, 1);
  await tab.touchscreen.tap(at.x, at.y);
  await pause(200);
  expect('tap: it shows the point', tab.url() === page.url && /Connections: 16/.test(await tip(tab)), await tip(tab));
}

function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

async function legend(tab) {
  const button = '#cost .sb-legend button:first-child';
  await tab.click(button);
  const state = await tab.evaluate((plot, b) => {
    const chart = window.Chart.getChart(document.querySelector(plot + ' canvas'));
    return [document.querySelector(b).getAttribute('aria-pressed'),
      ...[0, 1, 2, 3].map((k) => chart.isDatasetVisible(k))];
  }, PLOT, button);
  expect('legend: an arm goes, with its single runs', state.join() === 'false,false,true,false,true', state);
}

async function choose(tab) {
  const before = await tab.$eval('#response .sb-plot', (e) => e.getAttribute('aria-label'));
  await tab.select('#response select', 'response_max_ms');
  const after = await tab.$eval('#response .sb-plot', (e) => e.getAttribute('aria-label'));
  expect('choose: another figure', before !== after && after.startsWith('Response time, maximum'), after);
  await tab.evaluate(() => { document.getElementById('more').open = true; });
  await tab.select('#timeline select', '1');
  const marks = await tab.$eval('#timeline .sb-plot', (e) => e.getAttribute('aria-label'));
  expect('choose: another level', marks.includes('over time'), marks);
}

// Before anything is unfolded the page is no longer than this, and a link opens what is folded.
async function folded(tab) {
  const height = await tab.evaluate(() => document.documentElement.scrollHeight);
  expect('folded: at most 4,200 px', height <= 4200, height);
  for (const id of ['more', 'method']) {
    await tab.click('nav a[href="#' + id + '"]');
    const open = await tab.$eval('#' + id, (e) => (e.closest('details') || e.querySelector('details')).open);
    expect('folded: the link opens ' + id, open);
  }
}

async function scheme(tab) {
  const colour = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const line = () => tab.evaluate((plot) =>
    window.Chart.getChart(document.querySelector(plot + ' canvas')).data.datasets[0].borderColor, PLOT);
  const before = [await colour(), await line()];
  await tab.select('#scheme', 'dark');
  await pause(100);
  const after = [await colour(), await line()];
  expect('scheme: page and charts turn dark', before[0] !== after[0] && before[1] !== after[1], after);
  await tab.reload();
  expect('scheme: it is remembered', await colour() === after[0], await colour());
  await tab.select('#scheme', '');
  expect('scheme: and forgotten', await colour() === before[0], await colour());
}

async function table(tab) {
  await tab.click('#cost .sb-figures summary');
  await pause(100);
  const rows = await tab.$$eval('#cost .sb-figures tbody tr', (all) => all.map((r) => r.innerText.split('\t')));
  expect('table: a row a level', rows.length === 5 && rows[4][0] === '2,048', rows);
  const at = await pointAt(tab, 1, 0);
  expect('table: the number of the chart', rows[0][2].startsWith(shown(at.value)), rows[0]);
}

// A chart that is updated under the reader's hands, as on the live page: the last point goes.
async function updated(tab) {
  await tab.evaluate(() => {
    const place = document.createElement('div');
    place.id = 'live';
    document.querySelector('main').prepend(place);
    window.specOf = (from) => ({title: 'Live', kind: 'line', x: {title: 'Time'}, y: {title: 'Rate', unit: 'tx/s'},
      series: ['a', 'b'].map((name) => ({name, points: [0, 1, 2, 3].map((i) => ({x: from + i, y: 10 * (from + i)}))}))});
    window.live = window.SbChart.draw(place, window.specOf(0));
  });
  const text = () => tab.$eval('#live .sb-tip', (e) => (e.hidden ? '' : e.innerText));
  await tab.focus('#live .sb-plot');
  await tab.keyboard.press('ArrowRight');
  await tab.keyboard.press('ArrowRight');
  await tab.evaluate(() => window.live.update(window.specOf(1)));
  expect('updated: the tip stays with its point', await text() === 'a\nTime: 1\nRate: 10 tx/s', await text());
  await tab.keyboard.press('ArrowRight');
  expect('updated: keys go on from there', /Time: 2/.test(await text()), await text());
  await tab.evaluate(() => window.live.update(window.specOf(7)));
  expect('updated: a point that is gone takes its tip along', await text() === '', await text());
  await tab.focus('#live .sb-legend button');
  await tab.evaluate(() => window.live.update(window.specOf(8)));
  const focused = await tab.evaluate(() => document.activeElement.innerText);
  expect('updated: the legend keeps the focus', /a$/.test(focused), focused);
}

async function withoutScripts(tab, page) {
  await tab.setJavaScriptEnabled(false);
  await tab.goto(page.url);
  const text = await tab.evaluate(() => document.body.innerText);
  expect('without scripts: answer, table and a word about charts', /The charts need JavaScript/.test(text) &&
    /1,200\.0/.test(text));
}

// ---- all ----------------------------------------------------------------------

async function main() {
  const browser = await puppeteer.launch({executablePath: task.browser, userDataDir: task.profile,
    headless: true, args: ['--no-sandbox', '--disable-gpu']});
  let views = 0;
  try {
    for (const page of task.pages) {
      const server = page.live && await live.serve(page.live);
      page.url = server ? server.url : page.url;
      for (const width of WIDTHS) {
        for (const colours of SCHEMES) {
          await view(browser, page, width, colours);
          views += 1;
        }
      }
      if (page.used) {
        await use(browser, page);
      }
      if (server) {
        await live.use((at) => open(browser, at, 1280, 'light'), server, expect);
        server.close();
      }
    }
  } finally {
    await browser.close();
  }
  failures.forEach((f) => console.log('FAILED ' + f));
  console.log(views + ' views, ' + checks + ' checks, ' + failures.length + ' failed');
  process.exitCode = failures.length ? 1 : 0;
}

main();
