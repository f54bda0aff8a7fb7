// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs the script of the live page without a browser: elements that only remember, a clock that is
// turned by hand, and two runs that follow each other on one port.
//
// usage: node live_page.js RUN.jsonl
//
// Prints for each step what the page asked for and the last row of its chart of the throughput.
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');

const SCRIPT = path.join(__dirname, '../../src/report/live/live.js');

const elements = new Map();
const chart = {spec: null, drawn: 0, destroyed: 0};
const asked = [];
let due = null;
let run = null;
let recorded = null; // the element of --report-file=run.html

function element(id) {
  const e = {id, dataset: {}, style: {}, listeners: {}, textContent: '', value: '120', hidden: false, children: []};
  e.append = (...c) => e.children.push(...c);
  e.text = () => e.children.map((c) => (c.text ? c.text() : String(c))).join('') || e.textContent;
  e.prepend = (...c) => e.children.unshift(...c);
  e.replaceChildren = (...c) => { e.children = c; };
  e.setAttribute = () => {};
  e.remove = () => {};
  e.addEventListener = (type, f) => { e.listeners[type] = f; };
  return e;
}

function byId(id) {
  if (!elements.has(id)) {
    elements.set(id, element(id));
  }
  return elements.get(id);
}

// Like live.c: the rows after `after`, all of them if it had no such row.
function answer(after) {
  const rows = Array.from({length: run.rows}, (_, i) => [i + 1, false, i + 1, run.start + i + 1, 1, run.start]);
  return {state: 'running', test: 't', labels: {}, may_mark: true, end: run.end || null, verdict: run.verdict, marks: [], marks_total: 0,
    start_time_unix_s: run.start, last: run.rows,
    figures: ['number', 'warmup', 'elapsed_s', 'wall_time_unix_s', 'interval_s', 'transactions_per_s'],
    report: {kind: 'interval', elapsed_s: run.rows, interval_s: 1, transactions_per_s: run.start, ranks: run.ranks, hosts: run.hosts}, rows: rows.slice(after <= run.rows ? after : 0)};
}

function draw(place, spec) {
  const note = (s) => { if (s.title === 'Throughput') { chart.spec = s; } };
  chart.drawn += 1;
  note(spec);
  if (spec.x.scale === 'percentile') {
    const rising = ({points}) => points.every((p, i) => p.x < 1 && (!i || p.x > points[i - 1].x && p.y > points[i - 1].y));
    console.log('%s: %s; rising: %s', spec.title, spec.series.map((s) => s.name).join(', '), spec.series.every(rising));
  }
  return {update: note, destroy: () => { chart.destroyed += 1; }};
}

const document = {getElementById: (id) => (id === 'run' ? recorded : byId(id)), createElement: (tag) => element(tag),
  addEventListener: (type, f) => { if (type === 'DOMContentLoaded') { f(); } }, hidden: false};
const world = {document, window: {SbChart: {draw}, SbConfig: {times: () => []}}, clearTimeout: () => {}, Math, Number, String, Object, Date, JSON, Array,
  Option: function () { return element(''); }, setTimeout: (f) => { due = f; },
  fetch: async (url) => {
    asked.push(url);
    if (!run) {
      throw new Error('connection refused');
    }
    const doc = answer(Number(/after=(\d+)/.exec(url)[1]));
    return {json: async () => doc};
  }};

// Everything that is ready to run has run: the answers are there at once.
const settle = () => new Promise((done) => { setImmediate(done); });

async function step(name, polls) {
  asked.length = 0;
  for (let i = 0; i < polls; i += 1) {
    const now = due;
    due = null;
    now();
    await settle();
  }
  const points = chart.spec.series[0].points.map((p) => p.y);
  console.log('%s: %s; %d points of %s; %s', name, asked.join(' '), points.length,
    Array.from(new Set(points)).join(' and '), byId('state').dataset.state);
}

async function main() {
  due = () => vm.runInNewContext(fs.readFileSync(SCRIPT, 'utf8'), world);
  run = {start: 1000, rows: 5};
  await step('run 1', 1);
  run = {start: 2000, rows: 8};
  await step('run 2', 2);
  byId('pause').listeners.click();
  run = null;
  await step('no answer', 1);
  run = {start: 2000, rows: 9};
  await step('paused', 1);
  run = {start: 3000, rows: 20};
  await step('run 3', 2);
  byId('pause').listeners.click();
  await step('resumed', 2);
  for (const how of [[{}, {}], [{}, {lost_after_s: 2}, {figures_missing: true}]]) {
    run = {start: 4000, rows: 1, ranks: how.map((h, i) => Object.assign({rank: i, host: i ? 'load' + i : ''}, h))};
    await step('several load hosts', 2);
    console.log(byId('hosts').textContent);
  }
  const cells = (e) => (e.id === 'tr' ? [e.children.map((c) => c.text()).join(' | ')] : (e.children || []).flatMap(cells));
  const block = (name) => (byId('blocks').children.find((b) => b.children[0].text() === name) || element('')).children.slice(1).flatMap(cells);
  const figures = {connections: 3, transactions: 412, failed: 1, errors: 2, lost: 4};
  run = {start: 5000, rows: 1, hosts: [
    Object.assign({host: '<b>db1</b>:3306', clients: 2, latency: {p99_s: 0.0125}}, figures),
    {host: 'db2:3306', clients: 0, connections: 0, transactions: 0, failed: 0, errors: 0, lost: 0, latency: {p99_s: null}}]};
  await step('several database hosts', 2);
  console.log(block('Database hosts').join('\n'));
  run = {start: 6000, rows: 1};
  await step('one database host', 2);
  console.log('%d lines', block('Database hosts').length);
  // the end, which stays when the program has gone
  run = {start: 7000, rows: 3, end: {status: 'completed'}, verdict: {sustained: false, why: 'all 8 clients were busy', since_stage: 2}};
  await step('ended', 2);
  console.log(byId('state').textContent);
  run = null;
  await step('gone', 1);
  // a page with a run inside, whose last line was cut off
  recorded = {textContent: process.argv.length > 2 ? fs.readFileSync(process.argv[2], 'utf8') : ''};
  vm.runInNewContext(fs.readFileSync(SCRIPT, 'utf8'), world);
  console.log('%s; %s; %s', byId('title').textContent, byId('state').textContent.split('.')[0], byId('last-title').textContent);
  console.log('%d points; %s; %s', chart.spec.series[0].points.length, byId('about').textContent.split(' · ').pop(),
    byId('figures').children.map((t) => t.children[0].textContent).join(', '));
  console.log('%d charts drawn, %d destroyed', chart.drawn, chart.destroyed);
  // all that a report may have, of figures that nobody has told the page of
  const times = (n) => ({samples: n, p99_s: 0.0125, p99_9_s: 0.03, p100_s: 0.04});
  const part = (n) => ({begin_s: n, end_s: n + 1, figures: {kind: 'phase', transactions: n, latency: times(n), rate: {lag_p99_s: n < 200 ? 3e-5 : 1.5}, server_status: {Rows_read: n},
    missing: {host: 'not asked for'}}});
  const reader = {transactions_per_s: 2.5, rate: {offered: 5, target_per_s: 5, new_pct: 0.5}, latency: times(2000), host: null, statements: [{kind: '<b>', count: 7, p99_s: 0.5, text: null}],
    find: {result: 'found', steps: [{rate_per_s: 9, holds: true, figures: [{name: 'p99', unit: 's', value: 0.01, limit: 1}]}]},
    server_status: {Threads_running: 3, waits: null}, missing: {host: 'not asked for', 'server_status.waits': 'no privilege'}, at_least: {'rate.offered': 'x'}};
  recorded.textContent = [{kind: 'run', run: {test: 't', labels: {}, wall_time_unix_s: 1, command_line: []}},
    {kind: 'mark', wall_time_unix_s: 2, text: 'first'}, {kind: 'mark', wall_time_unix_s: 3, text: 'second'},
    Object.assign({kind: 'stage', text: '40:1s', sustained: true, why: 'the server waited'}, part(100)), Object.assign({kind: 'stage', text: '80:1s', sustained: null}, part(200)),
    Object.assign({kind: 'phase', marks: [{text: 'first'}]}, part(1)), {kind: 'command', at_s: 1, command: 'false', exit_status: 1},
    {kind: 'checkpoint', elapsed_s: 4, interval_s: 3, transactions: 12},
    Object.assign({kind: 'summary', interval_s: 2, elapsed_s: 2}, reader), {kind: 'profile', profile: {samples: 9, missing: {files: 'none'}}},
    {kind: 'end', verdict: {sustained: false, why: 'too slow'}, end: {status: 'completed'}}].map((l) => JSON.stringify(l)).join('\n');
  vm.runInNewContext(fs.readFileSync(SCRIPT, 'utf8'), world);
  const lines = (e) => (e.id === 'tr' ? [e.children.map((c) => c.text()).join(' | ')] : e.id === 'p' ? [e.text()] : (e.children || []).flatMap(lines));
  byId('blocks').children.forEach((b) => {
    Object.assign(b, {open: true}).listeners.toggle();
    console.log('%s\n  %s', b.children[0].text(), lines(b.children[1]).join('\n  '));
  });
  console.log(byId('figures').children[0].text());
  console.log(byId('reasons').children.map((r) => r.text()).concat(byId('events').children.map((r) => r.textContent)).join('\n'));
  console.log('marks: %s', byId('marks').children.map((m) => m.textContent.trim()).join(', '));
  // a run that ended in its warm-up has no report, and of a short one it is not known whether the rate was held
  recorded.textContent = '{"kind": "environment", "environment": {"host.cpu.count": 2}}\n' +
    '{"kind": "end", "verdict": {"sustained": null, "why": "it may be chance"}, "end": {"status": "completed"}}';
  vm.runInNewContext(fs.readFileSync(SCRIPT, 'utf8'), world);
  const [machine] = byId('blocks').children;
  Object.assign(machine, {open: true}).listeners.toggle();
  console.log('%s; %s, %s', lines(machine).join('; '), byId('state').textContent, byId('state').dataset.state);
}

main();
