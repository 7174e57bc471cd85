// In place of the Chart.js that unfold has every page of the admin load: our plots are Vega-Lite, and
// nothing here has the class `chart` that unfold would draw. Spares a visitor 200 kB.
