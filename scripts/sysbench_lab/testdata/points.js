
const fs = require('fs');
global.window = global;
const pen = new Proxy({}, {get: () => () => '', set: () => true});
global.document = {createElement: () => ({getContext: () => pen})};
process.argv.slice(2).forEach((script) => eval(fs.readFileSync(script, 'utf8')));
const data = JSON.parse(fs.readFileSync(0, 'utf8'));
const specs = data.sections.flatMap((s) => s.charts.flatMap((c) => c.panels));
specs.forEach((spec) => spec.series.forEach((s) => {
  s.points = s.points || data.xs[s.xs].map((x, i) => ({x, y: s.ys[i]}));
}));
const sets = specs.map((spec) => SbConfig.configure(spec, () => '', null).data.datasets);
const lineOf = (name) => specs.find((s) => s.figure === name && s.kind === 'line');
const [tps, few] = ['tps', 'response_p95_ms'].map(lineOf);
const segment = sets[specs.indexOf(tps)][0].segment.borderColor;
tps.series[0].points[1].alone = true; // of two runs, without an interval
const plain = SbConfig.heading(few);
few.series[0].points[0].few = true;
const starred = []; // where the plugin draws
SbConfig.plugins(() => [few, () => '']).find((p) => p.id === 'sbFew').afterDatasetsDraw({
  ctx: {save() {}, restore() {}, fillText(text, x, y) { starred.push([text, x, y]); }},
  isDatasetVisible: () => true,
  getDatasetMeta: (k) => ({data: few.series[k].points.map((p, i) => ({x: 100 * k + i, y: 0}))}),
});
process.stdout.write(JSON.stringify({starred, headings: [SbConfig.heading(few), plain],
  drawn: sets.map((d) => d.map((s) => s.data.length)),
  wanted: specs.map((s) => s.series.map((t) => t.points.length)),
  kinds: specs.map((s) => s.kind),
  joined: [0, 1, 2].map((i) => segment({p0DataIndex: i, p1DataIndex: i + 1}) === undefined)}));
