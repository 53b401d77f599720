// Everything in its place.

if (isRegression) residualChart();
else if (data.labels) labelTable();
histogramChart();
monitoringChart();
suspectsTable();
cutControl();
summaryControl();
selectionControl();
downloadControl();
themeControl();
copyControl();
document.documentElement.dataset.ready = "true";
