// SPDX-License-Identifier: GPL-2.0-or-later
//
// The live page of sysbench --metrics-listen, served by a stand-in for the program: it answers
// /live.json with runs that are made here, so that every state of a page can be looked at.
//
//     const server = await live.serve(html);     server.url, server.run = live.run({...})
//     await live.use(open, server, expect);      a run begins, goes on, ends; another one follows
//
// check.js opens the page at all widths as it does with the others, then calls use().
'use strict';

const http = require('http');

const NAME = 'a<b>"é.lua';
const LABELS = {env: '<img src=x onerror=alert(1)>', lab_cell: 'pool-of-threads, 512 connections', lab_progress: '3/30'};
const FIGURES = ['number', 'warmup', 'elapsed_s', 'wall_time_unix_s', 'interval_s', 'transactions_per_s', 'latency.samples',
  'latency.p50_s', 'latency.p95_s', 'latency.p99_s'];
const OF_RATE = ['rate.target_per_s', 'rate.lag_samples', 'rate.lag_p50_s', 'rate.lag_p99_s'];
const OF_CPU = ['server.cpu_user_pct', 'server.cpu_system_pct', 'server.cpu_s_per_transaction', 'client.cpu_user_pct', 'client.cpu_system_pct',
  'client.machine_others_pct', 'client.machine_stolen_pct'];

function row(i, {start, interval, rate}) {
  const at = i * interval;
  const wave = Math.sin(i / 5);
  const own = [i, false, at, start + at, interval, 400 + 20 * wave, 400, 0.011 + 0.002 * wave, 0.02, 0.031];
  return own.concat(rate ? [420, 400, 0.0001, 0.0009] : OF_RATE.map(() => null), [31, 12, 0.0021, 20, 9, 18 + 5 * wave, 1]);
}

// The last interval, whole: {latency: {p50_s: ...}}
function report(values) {
  const all = {kind: 'interval', threads_running: 512, queries_per_s: 6400, errors: 0, reconnects: 0, total: {reads: 9, writes: 9, other: 2},
    server_status: {Threads_running: 7, ['x'.repeat(120)]: null}, missing: {['server_status.' + 'x'.repeat(120)]: '<b>no privilege</b>'},
    statements: [{kind: NAME, count: 12, p99_s: 0.5, text: 'SELECT ' + 'c'.repeat(400)}],
    hosts: ['db1.<i>example</i>.net:3306', '/' + 'long/'.repeat(30) + 'mariadb.sock'].map((host, i) => ({host, clients: 256 * (1 - i), connections: 256,
      transactions: 206, failed: 1, errors: 2, lost: 3, reconnects: 4, latency: {samples: 206, p99_s: i ? null : 0.0317}}))};
  FIGURES.concat(OF_RATE, OF_CPU).slice(2).forEach((name, i) => {
    const [part, own] = name.split('.');
    Object.assign(own ? all[part] = all[part] || {} : all, {[own || part]: values[i + 2]});
  });
  return Object.assign(all, all.rate && all.rate.target_per_s ? {} : {rate: null});
}

// A run with so many rows; `change` overrides members of its document.
function run(rows, change, how) {
  const all = Object.assign({start: 1.8e9, interval: 1, rate: true}, how);
  return Object.assign({rows, how: all}, change);
}

function doc({rows, how, ...change}, after) {
  const known = after <= rows ? after : 0;
  return Object.assign({schema: 'sysbench-tx/live/1', state: 'running', test: NAME, command: 'run', version: '1', labels: LABELS,
    start_time_unix_s: how.start, may_mark: true, end: null, report: report(row(rows, how)),
    figures: FIGURES.concat(OF_RATE, OF_CPU), last: rows,
    rows: Array.from({length: rows - known}, (_, i) => row(known + i + 1, how)),
    errors_by_code: [{count: 7, code: 1062, sqlstate: '23000', class: 'duplicate', text: '<b>' + 'x'.repeat(250)}],
    incidents: [{kind: 'stopped', elapsed_s: 3, text: 'sysbench stopped: for at least 2.000 s'},
      {kind: 'stall', elapsed_s: 9, text: '7.0 to 9.0 s: 2.0 s standstill: 8 sessions in table metadata lock'}],
    marks_total: 1, marks: [{wall_time_unix_s: how.start + 2, source: 'page', text: '<b>mark</b> & "more" than fits a label'}]}, change);
}

async function serve(html) {
  const self = {run: run(90), asked: 0};
  const server = http.createServer((request, answer) => {
    const {pathname, searchParams} = new URL(request.url, 'http://x');
    const known = {'/': [html, 'text/html; charset=utf-8'],
      '/live.json': [() => JSON.stringify(doc(self.run, Number(searchParams.get('after')))), 'application/json']}[pathname];
    self.asked += pathname === '/live.json';
    answer.writeHead(known ? 200 : 404, {'Content-Type': known ? known[1] : 'text/plain', 'Connection': 'close'});
    answer.end(known && (known[0].call ? known[0]() : known[0]));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  self.url = 'http://127.0.0.1:' + server.address().port + '/';
  self.close = () => server.close();
  return self;
}

// ---- use ----------------------------------------------------------------------

function text(tab) {
  return tab.evaluate(() => document.body.innerText);
}

function titles(tab) {
  return tab.$$eval('#charts h2', (all) => all.map((h) => h.innerText));
}

function ticks(tab) {
  return tab.$$eval('#charts canvas', (all) => all.map((c) => window.Chart.getChart(c).scales.x.ticks.map((t) => t.label)));
}

function last(tab) {
  return tab.$eval('#charts canvas', (c) => window.Chart.getChart(c).data.datasets[0].data.length);
}

// The page asks twice, so what it shows is of the run that is served now.
async function settled(server) {
  const wanted = server.asked + 2;
  for (let i = 0; i < 100 && server.asked < wanted; i++) {
    await new Promise((done) => setTimeout(done, 100));
  }
  await new Promise((done) => setTimeout(done, 100));
}

async function begins(tab, server, expect) {
  for (const [rows, how] of [[1, {}], [2, {}], [3, {}], [7, {}], [3, {interval: 0.2}], [9, {interval: 0.2}], [90, {}]]) {
    server.run = run(rows, {}, Object.assign({start: 1.8e9 + rows * 1000 + (how.interval || 0)}, how));
    await settled(server);
    const all = await ticks(tab);
    const what = 'live: after ' + rows + ' rows, ';
    expect(what + 'ticks differ', all.length && all.every((t) => new Set(t).size === t.length && t.length > 1), all);
    expect(what + 'all rows are drawn', await last(tab) === rows, await last(tab));
  }
}

async function follows(tab, server, expect) {
  server.run = run(40, {}, {start: 1.8e9 + 5e5});
  await settled(server);
  expect('live: with a rate there is lag', (await titles(tab)).includes('Lag'), await titles(tab));
  server.run = run(60, {}, {start: 1.8e9 + 6e5, rate: false}); // more rows than the page knows of the first
  await settled(server);
  expect('live: another run is drawn from its begin', await last(tab) === 60, await last(tab));
  expect('live: charts that it has no figures for are gone', (await titles(tab)).join() ===
    'Throughput,Latency,CPU,Server CPU per transaction', await titles(tab));
}

async function ends(tab, server, expect) {
  server.run = run(61, {state: 'ended', end: {status: 'finished'}, verdict: {sustained: false}}, {start: 1.8e9 + 6e5});
  await settled(server);
  expect('live: the end', /Ended: finished. Rate sustained: no/.test(await text(tab)), await tab.$eval('#state', (e) => e.innerText));
}

async function hostile(tab, server, expect) {
  const seen = await text(tab);
  expect('live: names and labels are text', seen.includes(NAME) && seen.includes(LABELS.env) && seen.includes('<b>mark</b>'), seen);
  expect('live: no figure is null', !/null|undefined|NaN/.test(seen), seen);
}

async function use(open, server, expect) {
  const {tab, wrong} = await open(server);
  for (const check of [begins, hostile, follows, ends]) {
    await check(tab, server, expect);
  }
  expect('live: console', !wrong.length, wrong);
  await tab.close();
}

module.exports = {run, serve, use};
