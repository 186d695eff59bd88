// The two plots, with BokehJS's models.

const COLOURS = {
  weights: '#0072B2', kv: '#D55E00', compute: '#009E73', ink: '#1b1f24',
  weightsText: '#00659e', kvText: '#a84a00', computeText: '#00704f',
};
const BELOW = 1e-9;

function createFigure(data) {
  const {
    BasicTickFormatter, Column, ColumnDataSource, DataRange1d, FixedTicker, GlyphRenderer, Grid, Label, Line, LogAxis,
    LogScale, LogTicker, Plot, Range1d, Scatter, Span, Text, Title, VArea,
  } = Bokeh.Models;
  const sources = Object.fromEntries(Object.entries(data).map(([name, columns]) => [name, new ColumnDataSource({name, data: columns})]));
  const batches = new Range1d({start: 1 / 1.15, end: 1024 * 1.15});
  const field = (name) => (typeof name === 'string' ? {field: name} : {value: name});

  function drawing(title, height, bottom, label) {
    const plot = new Plot({
      height, sizing_mode: 'stretch_width', toolbar_location: null, title: new Title({text: title, text_font_size: '14px'}),
      min_border_left: 58, min_border_right: 12, min_border_top: 28, min_border_bottom: bottom,
      x_range: batches, y_range: new DataRange1d({range_padding: 0.3}), x_scale: new LogScale(), y_scale: new LogScale(),
      outline_line_color: null, border_fill_color: null, background_fill_color: null,
    });
    const axis = {axis_line_color: null, axis_label_text_font_style: 'normal'};
    const xTicker = new FixedTicker({ticks: [0, 1, 2, 3, 4, 5].map((k) => 4 ** k), minor_ticks: ROWS});
    const yTicker = new LogTicker();
    plot.add_layout(new LogAxis({...axis, ticker: xTicker, axis_label: label}), 'below');
    plot.add_layout(new LogAxis({
      ...axis, ticker: yTicker, formatter: new BasicTickFormatter({use_scientific: false, precision: 3}),
    }), 'left');
    plot.add_layout(new Grid({dimension: 1, ticker: yTicker, grid_line_alpha: 0.6}));

    function add(source, Glyph, attributes) {
      const renderer = new GlyphRenderer({data_source: sources[source], glyph: new Glyph({x: {field: 'batch'}, ...attributes})});
      plot.renderers = [...plot.renderers, renderer];
      return renderer;
    }

    return {
      plot,
      area: (low, high, colour, hatch) => add('curve', VArea, {
        y1: field(low), y2: field(high), fill_color: colour, fill_alpha: 0.18,
        hatch_pattern: hatch ?? null, hatch_color: colour, hatch_alpha: 0.25, hatch_scale: 9,
      }),
      line: (name, colour) => add('curve', Line, {y: field(name), line_color: colour, line_width: 2}),
      dots(name, colour) {
        for (const [source, size, width] of [['marks', 6, 1.2], ['now', 13, 2.5]]) {
          add(source, Scatter, {y: field(name), size, line_width: width, line_color: colour, fill_color: colour, fill_alpha: field('fits')});
        }
      },
      name: (source, name, words, colour, offset, end = 'right') => add(source, Text, {
        y: field(name), text: {value: words}, y_offset: offset, x_offset: end === 'left' ? 8 : -14, text_align: end,
        text_baseline: 'middle', text_font_size: '12px', text_color: colour,
      }),
      ridge() {
        plot.add_layout(new Span({
          location: RIDGE, dimension: 'height', line_color: COLOURS.compute, line_dash: 'dotdash', line_width: 1.5,
        }));
      },
      place(words) {
        plot.add_layout(new Label({
          x: RIDGE, y: 8, y_units: 'screen', x_offset: 6, text: words, text_font_size: '12px', text_color: COLOURS.computeText,
        }));
      },
      follow(renderers) {
        plot.y_range.renderers = renderers;
      },
    };
  }

  function times() {
    const made = drawing('One step, in milliseconds', 300, 24, null);
    made.area(BELOW, 'linear', COLOURS.weights);
    made.area('linear', 'step', COLOURS.kv, '/');
    const band = made.area('step_fast', 'step_slow', COLOURS.ink);
    made.follow([made.line('linear', COLOURS.weights), made.line('step', COLOURS.kv), band]);
    made.dots('step', COLOURS.kv);
    made.name('first_names', 'linear', 'weights', COLOURS.weightsText, 13, 'left');
    made.name('names', 'step', 'attention', COLOURS.kvText, 95);
    made.name('first_names', 'step_slow', 'at 70 to 90 %', COLOURS.ink, -14, 'left');
    made.ridge();
    made.place(`ridge batch ${decimals(RIDGE, 1)}`);
    return made.plot;
  }

  function rates() {
    const made = drawing('Tokens a second', 260, 48, 'batch (sequences)');
    const band = made.area('all_slow', 'all_fast', COLOURS.ink);
    made.follow([made.line('all', COLOURS.compute), made.line('each', COLOURS.ink), band]);
    made.dots('all', COLOURS.compute);
    made.dots('each', COLOURS.ink);
    made.name('names', 'all', 'all together', COLOURS.computeText, -13);
    made.name('first_names', 'each', 'each reader', COLOURS.ink, 18, 'left');
    made.ridge();
    return made.plot;
  }

  const root = new Column({children: [times(), rates()], sizing_mode: 'stretch_width', spacing: 4});
  return {
    root,
    show(next) {
      for (const [name, columns] of Object.entries(next)) sources[name].data = columns;
    },
  };
}
