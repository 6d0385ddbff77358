// Runs before the first paint, so that a dark desktop never flashes light. The lasting choice is the backend's;
// this is only its copy from the last run.
(function () {
  var theme = null;
  try {
    theme = localStorage.getItem('theme');
  } catch (error) {
    // Storage can be refused; the system's choice is then right.
  }
  if (theme !== 'light' && theme !== 'dark') {
    theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  document.documentElement.dataset.theme = theme;
})();
